"""
``monitor.yaml``: where things are. What is checked, and how often, stands in rules.

``load_config`` reads the file, replaces ``${VAR}`` and ``${VAR:-default}`` in its texts, lets ``MONITOR_…``
environment variables override it (``MONITOR_STATE__URL`` for ``state.url``), and answers with a :class:`Config` whose
paths are relative to the file. Importing this module imports no source, format, store or cloud client.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo

from monitor.conversation import Json, Scope
from monitor.errors import ConfigError
from monitor.formats import Format, formats
from monitor.formats.extract import ErrorClasses, path
from monitor.redact import Redaction
from monitor.sources import Source, sources
from monitor.validation import LocalPath, Secret, Text, add_condition, hoisted, known_keys, validate, wrong
from monitor.yamlfile import Document, FileError, Node, Place, Problem, load

DEFAULT_FILE = "monitor.yaml"
PREFIX = "MONITOR_"
SCHEMA = "https://json-schema.org/draft/2020-12/schema"
_VARIABLE = re.compile(r"\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\})?")
MetricLabel = Literal[
    "rule", "team", "environment", "agent", "scope", "source", "cause", "severity", "sink", "error_type"
]
_NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
_SQLITE_FILE = re.compile(r"(sqlite(?:\+\w+)?:///)(?!/|:memory:|file:)([^?]+)(.*)")


class Part(BaseModel):
    """Base of the parts of the configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class FromRecord(Part):
    """A value that is read from each record."""

    path: str = Field(min_length=1, description="dotted path into the record: `agent.version`, `labels.0.team`")


ScopeValue = Annotated[
    Text | FromRecord | None,
    Field(description="a constant, or `{path: a.b}` into the record; absent: what the format finds in the record"),
]


class ScopeConfig(Part):
    """Whose conversations a source delivers. What is set here wins over what a record says of itself."""

    team: ScopeValue = None
    environment: ScopeValue = None
    agent: ScopeValue = None
    agent_version: ScopeValue = None
    semantic_model: ScopeValue = None

    def resolve(self, record: Json, found: Scope) -> Scope:
        """*found*, the scope that the format read, with what is set here; a path that leads nowhere changes nothing."""
        values = {}
        for name in Scope.model_fields:
            rule = getattr(self, name)
            value = _scalar(path(record, rule.path)) if isinstance(rule, FromRecord) else rule
            if value is not None:
                values[name] = value
        return found.model_copy(update=values) if values else found


def _scalar(value: Json) -> str | None:
    if value is None or isinstance(value, (dict, list)):
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)[:200]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a part of the configuration stands, for messages, and what its values refer to."""

    document: Document | None = None
    place: Place = ()
    errors: ErrorClasses = field(default_factory=ErrorClasses)
    context: Mapping[str, Any] = field(default_factory=dict)


class SourceConfig(BaseModel):
    """
    One source. Keys beside the ones here are options of its type, checked when the source is built.

    A format's name stands for a block with that ``type`` and no options.
    """

    model_config = ConfigDict(frozen=True, extra="allow", hide_input_in_errors=True)

    name: Text = Field(pattern=_NAME, description="how metrics, status and rules (`match.source`) call it")
    type: str = Field(description="where records come from: `file`")
    format: str | dict[str, Any] = Field(
        default="auto", description="a format's name, `{type: name, …its options}`, or `auto`: found out by looking"
    )
    scope: ScopeConfig = Field(default=ScopeConfig(), description="whose conversations these are")
    namespace: str = Field(default="", description="text put before each conversation id; empty: ids stay")
    _origin: Origin = PrivateAttr(default=Origin())

    @property
    def options(self) -> dict[str, Any]:
        """The type's own options, as they stand in the file."""
        return dict(self.model_extra or {})

    @property
    def format_type(self) -> str:
        """The format's name, or ``auto``."""
        return self.format if isinstance(self.format, str) else str(self.format.get("type", "auto"))

    def build(self) -> Source:
        """The source itself; imports its module. Raises ConfigError for an unknown type or option."""
        origin = self._origin
        model = sources.get(self.type)
        common = SourceConfig.model_fields
        return validate(model, self.options, origin.document, origin.place, context=origin.context, also_known=common)

    def build_format(self, name: str | None = None) -> Format | None:
        """
        The format with its options; None while it is ``auto``.

        *name* is what detection found: the same options are then that format's. Raises ConfigError.
        """
        origin = self._origin
        name = name or self.format_type
        if name == "auto":
            return None
        options = (
            {} if isinstance(self.format, str) else {key: self.format[key] for key in self.format if key != "type"}
        )
        extract = options.get("extract", {})
        if isinstance(extract, dict) and "errors" not in extract:
            options["extract"] = {**extract, "errors": origin.errors}
        at = (*origin.place, "format")
        return validate(formats.get(name), options, origin.document, at, context=origin.context, also_known=("type",))


def _state_url(url: str, info: ValidationInfo) -> str:
    if "://" not in url:
        raise wrong("not a database URL", "write sqlite:///state/monitor.db, with three slashes before the path")
    relative = _SQLITE_FILE.fullmatch(url)
    folder = (info.context or {}).get("folder")
    if relative and folder:
        return f"{relative[1]}{Path(folder).absolute() / relative[2]}{relative[3]}"
    return url


class StateConfig(Part):
    """What is kept between runs: scores, texts, checkpoints, conversations that are not over."""

    url: Annotated[str, AfterValidator(_state_url)] = Field(
        default="sqlite:///state/monitor.db",
        validate_default=True,
        repr=False,
        description="SQLAlchemy URL of the state store; a relative SQLite path is relative to this file",
    )
    texts_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="days that questions, answers and explanations are kept; scores stay. 0: `monitor prune` removes all",
    )


class TelemetryConfig(Part):
    """What is told to others. Where OTLP goes to is set by the standard ``OTEL_…`` environment variables."""

    events: bool = Field(default=True, description="send a log event `gen_ai.evaluation.result` for each outcome")
    spans: bool = Field(
        default=True, description="send a span for each evaluated turn, with its outcomes as span events"
    )
    metrics_host: str = Field(
        default="127.0.0.1", description="address that /metrics, /healthz and /readyz listen on; 0.0.0.0: every one"
    )
    metrics_port: int | None = Field(
        default=9464, ge=0, le=65_535, description="their TCP port; 0: a free one, named in the log; null: no server"
    )
    label_caps: dict[MetricLabel, Annotated[int, Field(ge=1, le=10_000)]] = Field(
        default_factory=dict,
        description="different values that metrics keep of a label before the rest becomes `other`, where the built-in "
        "number does not suit; `scope` is for combinations of team, environment and agent",
    )


class LimitsConfig(Part):
    """Bounds on work and memory."""

    record_bytes: int = Field(
        default=16 * 1024**2,
        ge=1,
        description="bytes of one record; a larger one is quarantined (no 0: always bounded)",
    )
    batch: int = Field(default=256, ge=1, le=10_000, description="turns that are evaluated and written at once (no 0)")


class Config(Part):
    """The content of ``monitor.yaml``. Everything has a default: without a file there are just no sources."""

    sources: tuple[SourceConfig, ...] = Field(default=(), description="where recorded conversations come from")
    rules: LocalPath | None = Field(
        default=None, description="folder with `checks/*.yaml`, or one rule's file; null: the rules that are shipped"
    )
    state: StateConfig = Field(default=StateConfig(), description="what is kept, where and how long")
    redact: Redaction = Field(
        default=Redaction(), description="what is blanked before anything is kept, sent or logged"
    )
    user_secret: Secret | None = Field(
        default=None, description="key that user ids are hashed with; null: user ids are dropped"
    )
    errors: ErrorClasses = Field(
        default=ErrorClasses(), description="error codes of your tools that are refusals, recoverable, infrastructure"
    )
    telemetry: TelemetryConfig = Field(default=TelemetryConfig(), description="OpenTelemetry and metrics")
    limits: LimitsConfig = Field(default=LimitsConfig(), description="bounds on work and memory")

    def source(self, name: str) -> SourceConfig:
        """The source called *name*. Raises ConfigError with the known ones."""
        for source in self.sources:
            if source.name == name:
                return source
        known = (
            known_keys((source.name for source in self.sources), name) if self.sources else "no source is configured"
        )
        raise ConfigError(f"no source {name!r} is configured", hint=known)


def load_config(path: Path | None = None, environment: Mapping[str, str] | None = None) -> Config:
    """
    The configuration in *path*; None: ``monitor.yaml`` in the working folder, or the defaults when there is none.

    *environment* is ``os.environ`` unless given. Raises ConfigError with file, line, field and remedy of every
    mistake.
    """
    environment = os.environ if environment is None else environment
    if path is None and Path(DEFAULT_FILE).exists():
        path = Path(DEFAULT_FILE)
    document = Document(Path(DEFAULT_FILE), Node({}, 1))
    if path is not None:
        document = load(path, expand=lambda text: expand(text, environment))
        if document.data is None:
            document = Document(path, Node({}, 1))
    _override(document, environment)
    context = {"folder": path.parent if path else None, "environment": environment}
    data = {"state": {}, **document.data} if isinstance(document.data, dict) else document.data
    config = validate(Config, data, document, context=context)
    mistakes = list(_mistakes(config, document))
    if mistakes:
        raise FileError(mistakes)
    for index, source in enumerate(config.sources):
        source._origin = Origin(document, ("sources", index), config.errors, context)
    return config


def config_schema() -> dict[str, Any]:
    """The JSON schema of ``monitor.yaml``, with the options of every source type that can be imported."""
    schema = {"$schema": SCHEMA, **Config.model_json_schema(by_alias=True)}
    target = schema["$defs"]["SourceConfig"]
    for name in sources.names():
        options = hoisted(schema, sources.get(name), name)
        add_condition(target, "type", name, {"properties": options.get("properties", {})})
    return schema


def expand(text: str, environment: Mapping[str, str]) -> str:
    """
    *text* with ``${VAR}`` and ``${VAR:-default}`` (used when unset or empty) replaced; ``$${`` stands for ``${``.

    Raises ConfigError for a variable that is not set.
    """

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        if match[0] == "$${":
            return "${"
        if name is None:
            raise ConfigError(
                "`${` does not start a variable", hint="write ${NAME} or ${NAME:-default}; $${ for the text itself"
            )
        held = environment.get(name)
        if default is not None:
            return held or default
        if held is None:
            raise ConfigError(
                f"the environment variable {name} is not set", hint=f"set it, or write ${{{name}:-default}}"
            )
        return held

    return _VARIABLE.sub(value, text)


def _override(document: Document, environment: Mapping[str, str]) -> None:
    """Put ``MONITOR_…`` variables into *document*; empty ones, and names that no section starts, are others' business."""
    for variable in sorted(environment):
        place = variable.removeprefix(PREFIX).lower().split("__")
        held = environment[variable]
        if not variable.startswith(PREFIX) or place[0] not in Config.model_fields or not held:
            continue
        origin = f"environment variable {variable}"
        value: Any = held
        if held[0] in "[{" or held == "null":
            try:
                value = orjson.loads(held)
            except orjson.JSONDecodeError:
                raise FileError([Problem(origin, ".".join(place), "not JSON", "write one JSON value")]) from None
        _put(document.root, place, Node(value, 0, text=held, quoted=True, origin=origin))


def _put(node: Node, place: list[str], value: Node) -> None:
    *parents, last = place
    for part in parents:
        if not isinstance(node.value, dict):
            return
        if part not in node.fields or node.fields[part][1].value is None:
            node.fields[part] = (node.line, Node({}, node.line, origin=value.origin))
            node.value[part] = node.fields[part][1].value
        node = node.fields[part][1]
    if isinstance(node.value, dict):
        node.fields[last] = (node.line, value)
        node.value[last] = value.value


def _mistakes(config: Config, document: Document) -> Iterator[Problem]:
    """What is wrong across fields: repeated names, types and formats that nothing is registered for."""
    known_sources = sources.names() if config.sources else []
    known_formats = ["auto", *formats.names()] if config.sources else []
    seen: dict[str, int] = {}
    for index, source in enumerate(config.sources):
        at: Place = ("sources", index)
        first = seen.setdefault(source.name, index)
        if first != index:
            yield document.problem((*at, "name"), f"{source.name!r} is also the name of sources[{first}]", "rename one")
        if source.type not in known_sources:
            yield document.problem(
                (*at, "type"), f"unknown source type {source.type!r}", known_keys(known_sources, source.type)
            )
        if source.format_type not in known_formats:
            place: Place = (*at, "format") if isinstance(source.format, str) else (*at, "format", "type")
            name = source.format_type
            yield document.problem(place, f"unknown format {name!r}", known_keys(known_formats, name))
