"""
Rules: which check, with which options, on what traffic, how often, and what becomes of what it finds.

One file a rule, ``rules/checks/<name>.yaml``, with its cases beside it (``<name>.cases.yaml``, see ``rulecases``).
A mistake in any of them stops the start with file, line, field and what to write instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr

from monitor.checks import Check, checks
from monitor.conversation import Scope, canonical
from monitor.errors import ConfigError
from monitor.sampling import Sample
from monitor.validation import Text, add_condition, hoisted, known_keys, validate, wrong
from monitor.yamlfile import Document, FileError, Problem, load

SCHEMA = "https://json-schema.org/draft/2020-12/schema"
CASES = ".cases.yaml"
"""How a file of cases ends; what stands before it is the rule's name."""
_NAME_HINT = "write lower-case letters, digits and _, a letter first, at most 64"

Severity = Literal["info", "minor", "major", "critical"]
Rate = Annotated[float, Field(ge=0, le=1)]


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else (value,)


def _rule_name(name: str) -> str:
    if not (name.isascii() and name.isidentifier() and name == name.lower() and name[0] != "_" and len(name) <= 64):
        raise wrong(f"{name!r} is no rule's name", _NAME_HINT)
    return name


Patterns = Annotated[
    tuple[Text, ...],
    BeforeValidator(_listed, json_schema_input_type=str | list[str]),
    Field(min_length=1, description="a text or a list of texts, any of which may match; `*` stands for any text"),
]


class RulePart(BaseModel):
    """Base of a rule and its parts."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Match(RulePart):
    """Which traffic: every key that is given must match. An absent key matches everything."""

    team: Patterns | None = None
    environment: Patterns | None = None
    agent: Patterns | None = None
    agent_version: Patterns | None = None
    semantic_model: Patterns | None = None
    source: Patterns | None = None

    def matches(self, scope: Scope, source: str = "") -> bool:
        """Whether a conversation of *scope* that came through *source* is meant."""
        for name in Match.model_fields:
            patterns = getattr(self, name)
            if patterns is None:
                continue
            value = source if name == "source" else getattr(scope, name)
            if not any(glob(pattern, value) for pattern in patterns):
                return False
        return True


class Review(RulePart):
    """What people see of the rule's outcomes."""

    file: bool = Field(default=True, description="file each `fail` for review")
    control_rate: Rate = Field(
        default=0.0, description="share of `pass` that is filed too, to find what the rule misses. 0: none"
    )
    cap_per_day: int = Field(
        default=50, ge=0, description="most items filed a day, a hash sample of those that failed. 0: none"
    )
    severity: Severity = Field(default="major", description="how bad a `fail` is")


class Rule(RulePart):
    """What one file in ``rules/checks/`` says."""

    name: Annotated[str, AfterValidator(_rule_name)] = Field(
        description="the rule's name, the same as its file's: lower-case letters, digits and _"
    )
    description: str = Field(default="", description="what a `fail` means, for the people who see it")
    check: str = Field(description="the code that looks at a turn: `grounded`, `refusal_explained`")
    version: Text = Field(default="", description="a label for people; what the rule asks is versioned by its content")
    match: Match = Field(default=Match(), description="which traffic; absent: all")
    grain: Literal["turn", "conversation"] = Field(default="turn", description="what one outcome is about")
    cohort: str = Field(
        default="", description="rules of one cohort sample the same conversations; another name: an independent sample"
    )
    sample: Sample = Field(default=Sample(), description="how much of the traffic; absent: all")
    threshold: Rate | None = Field(
        default=None, description="lowest score that passes, 0 to 1; absent: the check itself decides"
    )
    options: dict[str, Any] = Field(default_factory=dict, alias="with", description="options of the check")
    review: Review = Field(default=Review(), description="what is filed for people")
    owner: str = Field(default="", description="who answers for the rule: a team or an address")
    enabled: bool = Field(default=True, description="false: the rule matches nothing")

    _document: Document | None = PrivateAttr(default=None)

    @property
    def path(self) -> Path | None:
        """The file that the rule stands in; None when it was made in code."""
        return self._document.path if self._document else None

    def matches(self, scope: Scope, source: str = "") -> bool:
        """Whether the rule is about a conversation of *scope* that came through *source*."""
        return self.enabled and self.match.matches(scope, source)

    @cached_property
    def instance(self) -> Check:
        """The check with its options. Raises ConfigError for an unknown check or option, or a grain it has not."""
        model = self._check_class()
        grains = getattr(model, "grains", ("turn",))
        if self.grain not in grains:
            raise self._error(
                "grain", f"the check {self.check} does not judge a {self.grain}", f"write grain: {grains[0]}"
            )
        return validate(model, self.options, self._document, ("with",))

    @cached_property
    def identity(self) -> str:
        """12 hex digits that change when the rule could answer differently: the ``rule_version`` of outcomes."""
        check = self.instance
        options = _plain(check.model_dump())
        content = canonical([self.check, type(check).version, options, self.threshold, self.grain])
        return hashlib.sha256(content).hexdigest()[:12]

    def model_copy(self, *, update: Any = None, deep: bool = False) -> Rule:
        """A copy with *update*; what was computed of the old content is left behind."""
        copied = super().model_copy(update=update, deep=deep)
        for name in ("instance", "identity"):
            copied.__dict__.pop(name, None)
        return copied

    def _check_class(self) -> type[Check]:
        known = checks.names()
        if self.check not in known:
            raise self._error("check", f"unknown check {self.check!r}", known_keys(known, self.check))
        return checks.get(self.check)

    def _error(self, field: str, message: str, hint: str) -> ConfigError:
        if self._document:
            return self._document.error((field,), message, hint)
        return FileError([Problem(f"rule {self.name}", field, message, hint)])


def load_rules(path: Path | None = None) -> tuple[Rule, ...]:
    """
    The rules in *path*: a folder (its ``checks/*.yaml``, or its own), one rule's file, or None for the shipped ones.

    In the order of their names. Raises ConfigError with every mistake in every file.
    """
    problems: list[Problem] = []
    read: list[Rule] = []
    for file in _files(shipped() if path is None else path, problems):
        try:
            read.append(_read(file))
        except FileError as error:
            problems.extend(error.problems)
    for rule in read:
        problems.extend(_mistakes(rule, read))
    if problems:
        raise FileError(problems)
    return tuple(sorted(read, key=lambda rule: rule.name))


def _read(file: Path) -> Rule:
    document = load(file)
    rule = validate(Rule, document.data, document)
    rule._document = document
    return rule


def _mistakes(rule: Rule, rules: Iterable[Rule]) -> Iterator[Problem]:
    """What is wrong with a rule that can be read: its name among the others', its check, the check's options."""
    document = rule._document
    if document and rule.name != document.path.stem:
        other = next((each.path for each in rules if each.name == rule.name and each is not rule), None)
        too = f"stands in {other} too" if other else "stands in a file of another name"
        hint = f"write name: {document.path.stem}" + ("" if other else ", or rename the file")
        yield document.problem(("name",), f"the rule {rule.name!r} {too}", hint)
    try:
        _ = rule.instance
    except FileError as error:
        yield from error.problems


def shipped() -> Path:
    """The folder of the rules that come with the package."""
    here = Path(__file__).resolve().parent
    return here / "_rules" if (here / "_rules").is_dir() else here.parent / "rules"


def rule_schema() -> dict[str, Any]:
    """The JSON schema of a rule's file, with the options of every check that is known."""
    schema: dict[str, Any] = {"$schema": SCHEMA, **Rule.model_json_schema(by_alias=True)}
    names = checks.names()
    schema["properties"]["check"]["enum"] = names
    for name in names:
        options = hoisted(schema, checks.get(name), name)
        add_condition(schema, "check", name, {"properties": {"with": options}})
    return schema


def glob(pattern: str, text: str) -> bool:
    """Whether *text* is *pattern*, in which ``*`` stands for any text. Linear in the length of both."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _files(path: Path, problems: list[Problem]) -> Iterable[Path]:
    """The rules' files; what looks like one and is none goes to *problems*."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigError(f"the rules {path} do not exist", hint="name a folder with checks/*.yaml, or one rule's file")
    folder = path / "checks" if (path / "checks").is_dir() else path
    files = sorted(file for file in folder.glob("*.yaml") if not file.name.endswith(CASES))
    names = {file.stem for file in files}
    problems.extend(
        Problem(str(stray), "", "a rule's file ends in .yaml", f"rename it to {stray.stem}.yaml")
        for stray in sorted(folder.glob("*.yml"))
    )
    for cases in sorted(folder.glob(f"*{CASES}")):
        name = cases.name.removesuffix(CASES)
        if name not in names:
            problems.append(Problem(str(cases), "", "no rule stands beside these cases", known_keys(names, name)))
    if not files and not problems:
        raise ConfigError(f"no rules in {folder}", hint="add a rule's file, such as checks/grounded.yaml")
    return files


def _plain(value: Any) -> Any:
    """*value* with sets in a fixed order."""
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=canonical)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
