"""Rules: what a file means, what it matches, what its version covers, and what is said of a mistake in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from monitor.checks import Check, checks
from monitor.conversation import Conversation, Scope, Turn
from monitor.errors import ConfigError
from monitor.outcome import Outcome
from monitor.rules import Rule, glob, load_rules, rule_schema, shipped
from monitor.yamlfile import FileError


class Greets(Check):
    """A check for these tests."""

    name = "greets"
    words: frozenset[str] = frozenset(("hello", "hi", "hey"))
    least: int = Field(default=1, ge=1, le=9)

    def run(self, turn: Turn, context: Conversation) -> Outcome:
        return Outcome.passed(f"{turn.id} of {context.id}")


@pytest.fixture(autouse=True)
def _greets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(checks._classes, "greets", Greets)


def rule(**more: Any) -> Rule:
    return Rule.model_validate({"name": "polite", "check": "greets", **more})


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / "checks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def refused(folder: Path, text: str) -> list[str]:
    """What is said of the rule ``polite`` with *text* after its first two lines: each mistake from the line on."""
    file = write(folder, "polite.yaml", f"name: polite\ncheck: greets\n{text}")
    with pytest.raises(FileError) as raised:
        load_rules(folder)
    return [str(problem).removeprefix(f"{file}:") for problem in raised.value.problems]


def test_a_rules_file_is_read(tmp_path: Path) -> None:
    """Every key of a rule's file means what it says; one text stands for a list of one."""
    file = write(
        tmp_path,
        "polite.yaml",
        """
name: polite
description: Greets first.
check: greets
version: 3
match: {environment: production, agent: [sales-*, ops], agent_version: 2}
cohort: second
sample: {rate: 0.25}
threshold: 0.5
with: {least: 2}
review: {file: false, control_rate: 0.1, cap_per_day: 0, severity: critical}
owner: team-a
""",
    )
    (found,) = load_rules(tmp_path)
    assert file == found.path
    assert ("polite", "Greets first.", "greets", "3", "turn", "second", 0.25, 0.5, "team-a", True) == (
        found.name,
        found.description,
        found.check,
        found.version,
        found.grain,
        found.cohort,
        found.sample.rate,
        found.threshold,
        found.owner,
        found.enabled,
    )
    assert (("production",), ("sales-*", "ops"), ("2",), None) == (
        found.match.environment,
        found.match.agent,
        found.match.agent_version,
        found.match.team,
    )
    assert (False, 0.1, 0, "critical") == (
        found.review.file,
        found.review.control_rate,
        found.review.cap_per_day,
        found.review.severity,
    )
    assert Greets(least=2) == found.instance


def test_a_short_rule_has_defaults() -> None:
    """A name and a check are enough: everything is sampled, each fail is filed, nothing else."""
    short = rule()
    assert (1.0, None, "turn", True, 0.0, 50, "major") == (
        short.sample.rate,
        short.threshold,
        short.grain,
        short.review.file,
        short.review.control_rate,
        short.review.cap_per_day,
        short.review.severity,
    )


@pytest.mark.parametrize(
    ("match", "said"),
    [
        ({}, True),
        ({"team": "ops"}, True),
        ({"team": "op"}, False),
        ({"team": "OPS"}, False),
        ({"team": ["sales", "ops"]}, True),
        ({"agent": "flights-*"}, True),
        ({"agent": "*-bot"}, True),
        ({"agent": "*"}, True),
        ({"environment": "*"}, True),
        ({"environment": ""}, True),
        ({"environment": "production"}, False),
        ({"team": "ops", "agent": "other"}, False),
        ({"agent_version": ["1.*", "2.*"]}, True),
        ({"semantic_model": "flights"}, True),
        ({"source": "chat"}, True),
        ({"source": "pubsub-*"}, False),
    ],
)
def test_every_given_key_must_match(match: dict[str, Any], said: bool) -> None:
    """A rule is about traffic where each key that it gives matches; a key that it leaves out matches all."""
    scope = Scope(team="ops", agent="flights-bot", agent_version="2.1", semantic_model="flights")
    assert said is rule(match=match).matches(scope, "chat")


def test_a_disabled_rule_matches_nothing() -> None:
    """A rule that is switched off is about no traffic."""
    assert (True, False) == (rule().matches(Scope()), rule(enabled=False).matches(Scope()))


@pytest.mark.parametrize(
    ("pattern", "text", "said"),
    [
        ("", "", True),
        ("", "a", False),
        ("a", "a", True),
        ("a*", "a", True),
        ("*a", "ba", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "aXcYb", False),
        ("*b*b*", "abab", True),
        ("*b*b*", "aab", False),
        ("ab*ba", "aba", False),
        ("**", "anything", True),
        ("a.c", "abc", False),
        ("a?c", "abc", False),
        ("[ab]", "a", False),
        ("a*" * 5_000 + "b", "a" * 50_000, False),
    ],
)
def test_only_the_star_is_special(pattern: str, text: str, said: bool) -> None:
    """`*` stands for any text, everything else for itself; no pattern takes long."""
    assert said is glob(pattern, text)


@pytest.mark.parametrize(
    "more",
    [
        {"description": "other", "owner": "other", "version": "9"},
        {"sample": {"rate": 0.1}, "match": {"team": "x"}, "cohort": "b", "enabled": False},
        {"review": {"file": False, "severity": "info"}},
        {"name": "another"},
        {"with": {"least": 1}},
        {"with": {"words": ["hey", "hi", "hello"]}},
    ],
)
def test_the_version_is_the_same_while_the_rule_asks_the_same(more: dict[str, Any]) -> None:
    """Describing, sampling, matching or filing otherwise, or writing a default out, leaves the rule's version."""
    assert rule().identity == rule(**more).identity


@pytest.mark.parametrize("more", [{"with": {"least": 2}}, {"with": {"words": ["hi"]}}, {"threshold": 0.5}])
def test_the_version_is_another_when_the_rule_asks_something_else(more: dict[str, Any]) -> None:
    """Another option or threshold is another version."""
    assert rule().identity != rule(**more).identity


def test_the_version_covers_the_checks_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check whose code may answer differently makes another version of every rule on it."""
    before = rule().identity
    monkeypatch.setattr(Greets, "version", 2)
    assert before != rule().identity


def test_the_version_is_pinned() -> None:
    """Versions are 12 hex digits that stay the same from release to release and from process to process."""
    assert "df9aafaa2ec4" == rule().identity


def test_a_changed_copy_is_asked_anew() -> None:
    """A copy with other options has its own check and version, whatever was computed of the original."""
    first = rule()
    assert Greets() == first.instance
    other = first.model_copy(update={"options": {"least": 2}})
    assert (Greets(least=2), rule(**{"with": {"least": 2}}).identity) == (other.instance, other.identity)


KNOWN = "check, cohort, description, enabled, grain, match, name, owner, review, sample, threshold, version, with"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sample:\n  rate: 1.5\n", "4: sample.rate: 1.5 is more than 1 (write a number from 0 to 1)"),
        ("sample: {rate: all}\n", "3: sample.rate: 'all' does not fit here (write a number from 0 to 1)"),
        (
            "sample: {strata: [{when: eror, rate: 1}]}\n",
            "3: sample.strata[0].when: no such predicate: write error, refusal, feedback_negative or {agent_version: [...]}",
        ),
        (
            "sample:\n  strata:\n  - {when: error, rate: 2}\n",
            "5: sample.strata[0].rate: 2 is more than 1 (write a number from 0 to 1)",
        ),
        ("threshold: -0.1\n", "3: threshold: -0.1 is less than 0 (write a number from 0 to 1)"),
        ("smaple: {rate: 1}\n", f"3: smaple: unknown key (did you mean 'sample'? known: {KNOWN})"),
        ("options: {}\n", f"3: options: unknown key (known: {KNOWN})"),
        ("with:\n  lest: 2\n", "4: with.lest: unknown key (did you mean 'least'? known: least, words)"),
        ("with:\n  least: 0\n", "4: with.least: 0 is less than 1 (write a whole number from 1 to 9)"),
        ("with:\n  words: hello\n", "4: with.words: 'hello' does not fit here (write a list of text)"),
        ("with: [x]\n", "3: with: a list does not fit here (write a block)"),
        ("grain: conversation\n", "3: grain: the check greets does not judge a conversation (write grain: turn)"),
        ("grain: turns\n", "3: grain: 'turns' is not one of the choices (write one of: turn, conversation)"),
        ("match: {agent_version: 1.10}\n", '3: match.agent_version: 1.10 does not fit here (put it in quotes: "1.10")'),
        ("match: {team: []}\n", "3: match.team: a list is empty (write text or a list of text)"),
        (
            "match:\n  taem: x\n",
            (
                "4: match.taem: unknown key "
                "(did you mean 'team'? known: agent, agent_version, environment, semantic_model, source, team)"
            ),
        ),
        (
            "review: {severity: high}\n",
            "3: review.severity: 'high' is not one of the choices (write one of: info, minor, major, critical)",
        ),
        ("review: {cap_per_day: -1}\n", "3: review.cap_per_day: -1 is less than 0 (write a whole number, at least 0)"),
        ("name: polite\n", "3: name: the key stands here for the second time; first on line 1 (keep one of them)"),
        ("\tx: 1\n", "3: not YAML: found a tab character that violates indentation (indent with spaces, not tabs)"),
    ],
)
def test_a_mistake_is_said_with_line_field_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    """Each mistake names the line, the field, what is wrong and what to write instead."""
    assert [said] == refused(tmp_path, text)


def test_variables_are_not_replaced_in_rules(tmp_path: Path) -> None:
    """A rule says the same everywhere: ${VAR} in it is text."""
    write(tmp_path, "polite.yaml", "name: polite\ncheck: greets\nowner: ${HOME}\n")
    assert "${HOME}" == load_rules(tmp_path)[0].owner


def test_an_unknown_check_is_said(tmp_path: Path) -> None:
    """A check that is not registered is said with the nearest name and all of them."""
    file = write(tmp_path, "polite.yaml", "name: polite\ncheck: greet\n")
    with pytest.raises(FileError) as raised:
        load_rules(tmp_path)
    known = ", ".join(checks.names())
    assert f"{file}:2: check: unknown check 'greet' (did you mean 'greets'? known: {known})" == str(raised.value)


@pytest.mark.parametrize("name", ["Polite", "polite-one", "1st", "", "_x", "pölite", "x" * 65])
def test_a_rules_name_is_lower_snake_case(name: str) -> None:
    """A name is a metric's label and a file's name: nothing else than letters, digits and _."""
    with pytest.raises(ValueError, match="is no rule's name"):
        rule(name=name)


def test_a_rules_name_is_its_files(tmp_path: Path) -> None:
    """A rule in a file of another name is refused: it is found by its name."""
    file = write(tmp_path, "courteous.yaml", "check: greets\nname: polite\n")
    with pytest.raises(FileError) as raised:
        load_rules(file)
    said = "the rule 'polite' stands in a file of another name (write name: courteous, or rename the file)"
    assert f"{file}:2: name: {said}" == str(raised.value)


def test_two_files_with_one_name_are_refused(tmp_path: Path) -> None:
    """A copied file whose name was not changed is said with the file that has the name already."""
    first = write(tmp_path, "polite.yaml", "name: polite\ncheck: greets\n")
    copy = write(tmp_path, "polite_eu.yaml", "name: polite\ncheck: greets\n")
    with pytest.raises(FileError) as raised:
        load_rules(tmp_path)
    assert f"{copy}:1: name: the rule 'polite' stands in {first} too (write name: polite_eu)" == str(raised.value)


def test_mistakes_of_all_files_are_said_at_once(tmp_path: Path) -> None:
    """One start shows what is wrong in every file, also that a name does not end as it should."""
    first = write(tmp_path, "a.yaml", "name: a\ncheck: greets\nthreshold: 2\n")
    second = write(tmp_path, "b.yaml", "name: b\nchek: greets\n")
    third = write(tmp_path, "c.yml", "name: c\ncheck: greets\n")
    fourth = write(tmp_path, "d.cases.yaml", "[]\n")
    with pytest.raises(FileError) as raised:
        load_rules(tmp_path)
    assert [
        f"{third}: a rule's file ends in .yaml (rename it to c.yaml)",
        f"{fourth}: no rule stands beside these cases (known: a, b)",
        f"{first}:3: threshold: 2 is more than 1 (write a number from 0 to 1)",
        f"{second}:1: check: is missing (add it: the code that looks at a turn: `grounded`, `refusal_explained`)",
        f"{second}:2: chek: unknown key (did you mean 'check'? known: {KNOWN})",
    ] == [str(problem) for problem in raised.value.problems]


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_is_said(tmp_path: Path, text: str) -> None:
    """A rule's file without content is no rule."""
    file = write(tmp_path, "polite.yaml", text)
    with pytest.raises(FileError, match=r"polite\.yaml:1: the file is empty \(write a block with name, description"):
        load_rules(file)


def test_where_rules_are_looked_for(tmp_path: Path) -> None:
    """A folder with checks/, a folder of rules and one rule's file are the same; cases are no rules."""
    file = write(tmp_path, "polite.yaml", "name: polite\ncheck: greets\n")
    write(tmp_path, "polite.cases.yaml", "[]\n")
    write(tmp_path, "another.yaml", "name: another\ncheck: greets\n")
    assert ["another", "polite"] == [each.name for each in load_rules(tmp_path)]
    assert ["another", "polite"] == [each.name for each in load_rules(tmp_path / "checks")]
    assert ["polite"] == [each.name for each in load_rules(file)]


def test_no_rules_is_an_error(tmp_path: Path) -> None:
    """A folder that is missing or holds no rule would check nothing in silence: it is refused."""
    with pytest.raises(ConfigError, match=r"nowhere do not exist \(name a folder with checks/\*\.yaml"):
        load_rules(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="no rules in"):
        load_rules(tmp_path)


def test_the_shipped_rules_load() -> None:
    """Without a folder the shipped rules are taken: all traffic, every fail filed, one pass in fifty as a control."""
    found = load_rules(None)
    assert ["grounded", "refusal_explained"] == [each.name for each in found]
    assert [(1.0, True, 0.02, 50, "major")] * 2 == [
        (
            each.sample.rate,
            each.review.file,
            each.review.control_rate,
            each.review.cap_per_day,
            each.review.severity,
        )
        for each in found
    ]
    assert [True, True] == [each.path is not None and each.path.parent == shipped() / "checks" for each in found]


def test_the_schema_is_of_the_file() -> None:
    """The published schema has the file's keys, every check's name, and a check's options under `with`."""
    schema = rule_schema()
    assert KNOWN.split(", ") == sorted(schema["properties"])
    assert checks.names() == schema["properties"]["check"]["enum"]
    options = next(
        branch["then"]["properties"]["with"]
        for branch in schema["allOf"]
        if branch["if"]["properties"]["check"] == {"const": "greets"}
    )
    assert {"words", "least"} == set(options["properties"])


def test_the_rule_in_the_readme_loads(tmp_path: Path) -> None:
    """The rule that rules/README.md shows is one."""
    text = (shipped() / "README.md").read_text(encoding="utf-8")
    block = next(part for part in text.split("```yaml\n") if part.startswith("name: ")).split("```")[0]
    (found,) = load_rules(write(tmp_path, "grounded_production.yaml", block))
    assert (0.25, 2, ("sales-*", "ops-assistant")) == (found.sample.rate, len(found.sample.strata), found.match.agent)
