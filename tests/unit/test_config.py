"""monitor.yaml: what it means, what overrides it, and what is said of a mistake in it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
from pydantic import BaseModel, Field

from monitor.config import Config, MetricLabel, ScopeConfig, config_schema, expand, load_config
from monitor.conversation import Scope
from monitor.errors import ConfigError
from monitor.formats.openai_chat import OpenAIChat
from monitor.metrics import CAPS
from monitor.sources import Source, sources
from monitor.validation import LocalText
from monitor.yamlfile import FileError

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "monitor.yaml"


class PileSource(Source):
    """A source type for these tests."""

    type: ClassVar[str] = "pile"
    path: LocalText
    depth: int = Field(default=1, ge=0, le=9)


@pytest.fixture(autouse=True)
def _pile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sources._classes, "pile", PileSource)


def config(folder: Path, text: str, environment: Mapping[str, str] | None = None) -> Config:
    (folder / "monitor.yaml").write_text(text, encoding="utf-8")
    return load_config(folder / "monitor.yaml", environment or {})


def refused(folder: Path, text: str, environment: Mapping[str, str] | None = None) -> list[str]:
    """What is said of *text*: each mistake from the line number on."""
    with pytest.raises(FileError) as raised:
        config(folder, text, environment)
    return [str(problem).removeprefix(f"{folder / 'monitor.yaml'}:") for problem in raised.value.problems]


def test_without_a_file_there_are_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No monitor.yaml means no sources, the shipped rules and a state beside where one works."""
    monkeypatch.chdir(tmp_path)
    found = load_config(environment={})
    assert ((), None, "sqlite:///state/monitor.db", 30, None) == (
        found.sources,
        found.rules,
        found.state.url,
        found.state.texts_days,
        found.user_secret,
    )


def test_the_working_folders_file_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """monitor.yaml in the working folder is read when no file is named; an empty one says nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "monitor.yaml").write_text("limits: {batch: 7}")
    assert 7 == load_config(environment={}).limits.batch
    (tmp_path / "monitor.yaml").write_text("# nothing yet\n")
    assert 256 == load_config(environment={}).limits.batch


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    """A configuration that is asked for and missing is an error, not the defaults."""
    with pytest.raises(ConfigError, match=r"none\.yaml does not exist \(check the path\)"):
        load_config(tmp_path / "none.yaml", {})


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules, state, secrets and a source's files are found from the file's folder, wherever one works."""
    monkeypatch.chdir("/")
    (tmp_path / "key").write_text("k3y\n")
    text = "rules: my/rules\nuser_secret: {file: key}\nsources: [{name: a, type: pile, path: in/*.jsonl}]"
    found = config(tmp_path, text)
    assert tmp_path / "my/rules" == found.rules
    assert f"sqlite:///{tmp_path}/state/monitor.db" == found.state.url
    assert "k3y" == (found.user_secret.get_secret_value() if found.user_secret else None)
    assert PileSource(path=f"{tmp_path}/in/*.jsonl") == found.source("a").build()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite:///s.db?timeout=5", "sqlite:///{folder}/s.db?timeout=5"),
        ("sqlite:////var/s.db", "sqlite:////var/s.db"),
        ("sqlite:///:memory:", "sqlite:///:memory:"),
        ("sqlite://", "sqlite://"),
        ("postgresql+psycopg://db/monitor", "postgresql+psycopg://db/monitor"),
    ],
)
def test_only_relative_sqlite_files_move(tmp_path: Path, url: str, said: str) -> None:
    """A state URL stays as it is unless it names a relative SQLite file."""
    assert said.format(folder=tmp_path) == config(tmp_path, f"state: {{url: '{url}'}}").state.url


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${A}", "one"),
        ("x-${A}-${A}", "x-one-one"),
        ("${NONE:-two}", "two"),
        ("${EMPTY:-two}", "two"),
        ("${EMPTY}", ""),
        ("${NONE:-}", ""),
        ("$A $$ $", "$A $$ $"),
        ("$${A}", "${A}"),
        ("${TRICK}", "${A}"),
    ],
)
def test_variables_are_replaced(text: str, said: str) -> None:
    """${VAR} is its value, ${VAR:-default} the default when unset or empty, $${ the text itself; values are not read again."""
    assert said == expand(text, {"A": "one", "EMPTY": "", "TRICK": "${A}"})


def test_variables_are_replaced_in_values_only(tmp_path: Path) -> None:
    """A number may come from a variable; a value cannot bring YAML of its own, and a key is left alone."""
    text = "telemetry: {metrics_port: '${PORT}'}\nsources: [{name: a, type: pile, path: '${P}'}]"
    found = config(tmp_path, text, {"PORT": "81", "P": "/x: {y"})
    assert (81, "/x: {y") == (found.telemetry.metrics_port, found.sources[0].options["path"])
    assert ["1: ${PORT}: unknown key"] == [said[:23] for said in refused(tmp_path, "${PORT}: 1", {"PORT": "rules"})]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "rules: x\nstate:\n  url: ${DB}\n",
            "3: state.url: the environment variable DB is not set (set it, or write ${DB:-default})",
        ),
        (
            "rules: ${}\n",
            "1: rules: `${` does not start a variable (write ${NAME} or ${NAME:-default}; $${ for the text itself)",
        ),
        ("state: {url: state.db}", "1: state.url: not a database URL (write sqlite:///state/monitor.db, with three slashes before the path)"),
        ("state:\n  texts_days: -1", "2: state.texts_days: -1 is less than 0 (write a whole number from 0 to 36500)"),
        ("telemetry:\n  label_caps:\n    agent: 0", "3: telemetry.label_caps.agent: 0 is less than 1 (write a whole number from 1 to 10000)"),
        ("telemetry:\n  label_caps:\n    agnt: 9", "3: telemetry.label_caps.agnt: unknown key (did you mean 'agent'? known: agent, cause, environment, error_type, rule, scope, severity, sink, source, team)"),
        ("limts: {}", "1: limts: unknown key (did you mean 'limits'? known: errors, limits, redact, rules, sources, state, telemetry, user_secret)"),
        ("telemetry: {spans: sometimes}", "1: telemetry.spans: 'sometimes' does not fit here (write true or false)"),
        ("errors: {refusals: [x]}", "1: errors.refusals: unknown key (did you mean 'refusal'? known: infrastructure, recoverable, refusal)"),
        ("errors:\n  refusal: fan_out", "2: errors.refusal: 'fan_out' does not fit here (write a list of text)"),
        ("sources: []\nlimits:", "2: limits: nothing does not fit here (write a block with record_bytes, batch)"),
        ("user_secret: {env: NO}", "1: user_secret: the environment has no NO (set NO, or name another variable)"),
        ("user_secret: ''", "1: user_secret: the value is empty (write {file: /path} or {env: NAME} of a secret that is set)"),
        ("user_secret: {fiel: x}", "1: user_secret: a secret is one text, {file: …} or {env: …} (write {file: /path} or {env: NAME})"),
        (
            "sources:\n- name: a\n  type: pille\n",
            f"3: sources[0].type: unknown source type 'pille' (did you mean 'pile'? known: {', '.join(sorted({*sources.names(), 'pile'}))})",
        ),
        ("sources:\n- name: a\n  type: pile\n- name: a\n  type: pile\n", "4: sources[1].name: 'a' is also the name of sources[0] (rename one)"),
        ("sources:\n- type: pile\n", "2: sources[0].name: is missing (add it: how metrics, status and rules (`match.source`) call it)"),
        ("sources:\n- {name: a, type: pile, scope: {teem: x}}\n", "2: sources[0].scope.teem: unknown key (did you mean 'team'? known: agent, agent_version, environment, semantic_model, team)"),
    ],
)  # fmt: skip
def test_a_mistake_is_said_with_line_field_and_remedy(tmp_path: Path, text: str, said: str) -> None:
    """Each mistake names the line, the field, what is wrong and what to write instead."""
    assert [said] == refused(tmp_path, text)


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    """A file with several mistakes is told all of them, each with file and line."""
    with pytest.raises(FileError) as raised:
        config(tmp_path, "limits: {batch: 0}\nstate: {texts_days: x}\n")
    file = tmp_path / "monitor.yaml"
    assert (
        "2 mistakes\n"
        f"  {file}:2: state.texts_days: 'x' does not fit here (write a whole number from 0 to 36500)\n"
        f"  {file}:1: limits.batch: 0 is less than 1 (write a whole number from 1 to 10000)\n"
        "mend these, then run `monitor lint`"
    ) == str(raised.value)


@pytest.mark.parametrize("text", ["user_secret: 987654321", "user_secret: [hunter2]", "rules: {a: '${TOKEN}'}"])
def test_secrets_are_not_shown(tmp_path: Path, text: str) -> None:
    """Neither a secret in the wrong shape nor a variable's value is in a message."""
    said = " ".join(refused(tmp_path, text, {"TOKEN": "hunter2"}))
    assert ("hunter2" in said, "987654321" in said) == (False, False)


def test_a_secret_is_not_shown_in_a_config(tmp_path: Path) -> None:
    """Printing a configuration shows neither the secret nor the state's URL, which may hold a password."""
    found = config(tmp_path, "user_secret: {env: S}\nstate: {url: 'postgresql://u:${S}@db/m'}", {"S": "hunter2"})
    assert "hunter2" == (found.user_secret.get_secret_value() if found.user_secret else None)
    assert "hunter2" not in repr(found)


def test_the_environment_overrides(tmp_path: Path) -> None:
    """MONITOR_A__B is a.b, before the file; lists and null are JSON; empty ones and others' names are left alone."""
    environment = {
        "MONITOR_LIMITS__BATCH": "9",
        "MONITOR_TELEMETRY__METRICS_PORT": "null",
        "MONITOR_SOURCES": '[{"name": "a", "type": "pile", "path": "/p"}]',
        "MONITOR_STATE__URL": "",
        "MONITOR_PORT_80_TCP": "tcp://10.0.0.1:80",
    }
    found = config(tmp_path, "limits: {batch: 3, record_bytes: 4}\nsources: []", environment)
    assert (9, 4, None, "a") == (
        found.limits.batch,
        found.limits.record_bytes,
        found.telemetry.metrics_port,
        found.sources[0].name,
    )
    assert f"sqlite:///{tmp_path}/state/monitor.db" == found.state.url


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MONITOR_STATE__ULR", "x", "state.ulr: unknown key (did you mean 'url'? known: texts_days, url)"),
        ("MONITOR_LIMITS__BATCH", "-1", "limits.batch: '-1' is less than 1 (write a whole number from 1 to 10000)"),
        ("MONITOR_SOURCES", "[", "sources: not JSON (write one JSON value)"),
        (
            "MONITOR_SOURCES",
            '[{"name": "a", "type": "pile", "format": "xml"}]',
            "sources[0].format: unknown format 'xml' (",
        ),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(tmp_path: Path, name: str, value: str, said: str) -> None:
    """What a variable brings in wrong is said with the variable's name, not a line."""
    (problem,) = refused(tmp_path, "rules: x", {name: value})
    assert f"environment variable {name}: {said}" == problem[: len(f"environment variable {name}: {said}")]


def test_a_sources_options_are_checked_when_it_is_built(tmp_path: Path) -> None:
    """An option that the type does not have is said with its line, beside the keys that any source has."""
    found = config(tmp_path, "sources:\n- name: a\n  type: pile\n  path: /p\n  dept: 3\n")
    with pytest.raises(FileError) as raised:
        found.source("a").build()
    known = "depth, format, name, namespace, path, scope, type"
    assert (
        f"{tmp_path / 'monitor.yaml'}:5: sources[0].dept: unknown key (did you mean 'depth'? known: {known})"
    ) == str(raised.value)


def test_a_format_has_its_options_and_the_configured_errors(tmp_path: Path) -> None:
    """A named format is built with its block's options; error classes come from the configuration unless it has its own."""
    text = (
        "errors: {refusal: [house_rule]}\n"
        "sources:\n"
        "- {name: a, type: pile, path: /p, format: {type: openai_chat, extract: {max_rows: 5}}}\n"
        "- {name: b, type: pile, path: /p}\n"
        "- {name: c, type: pile, path: /p, format: {type: openai_chat, extract: {max_rwos: 5}}}\n"
    )
    found = config(tmp_path, text)
    named, detected = found.source("a").build_format(), found.source("b").build_format("openai_chat")
    assert isinstance(named, OpenAIChat)
    assert isinstance(detected, OpenAIChat)
    assert (5, "refusal") == (named.extract.max_rows, named.extract.errors.kind("house_rule"))
    assert "refusal" == detected.extract.errors.kind("house_rule")
    assert None is found.source("b").build_format()
    with pytest.raises(
        FileError, match=r":5: sources\[2\]\.format\.extract\.max_rwos: unknown key \(did you mean 'max_rows'"
    ):
        found.source("c").build_format()


def test_an_unknown_source_is_said(tmp_path: Path) -> None:
    """Asking for a source that is not configured names the ones that are."""
    found = config(tmp_path, "sources: [{name: orders, type: pile}]")
    with pytest.raises(ConfigError, match=r"no source 'order' is configured \(did you mean 'orders'\? known: orders\)"):
        found.source("order")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"agent": {"version": "1.2"}}, Scope(team="ops", agent="bot", agent_version="1.2")),
        ({"agent": {"version": 3}}, Scope(team="ops", agent="bot", agent_version="3")),
        ({"agent": '{"version": true}'}, Scope(team="ops", agent="bot", agent_version="true")),
        ({"agent": {"version": ["x"]}}, Scope(team="ops", agent="bot", agent_version="0.9")),
        ({"agent": None}, Scope(team="ops", agent="bot", agent_version="0.9")),
        ([1], Scope(team="ops", agent="bot", agent_version="0.9")),
    ],
)
def test_scope_is_a_constant_a_path_or_the_records_own(record: Any, said: Scope) -> None:
    """A constant wins, a path is read from the record, and where neither says anything the record's own scope stays."""
    rules = ScopeConfig.model_validate({"team": "ops", "agent_version": {"path": "agent.version"}})
    assert said == rules.resolve(record, Scope(team="claimed", agent="bot", agent_version="0.9"))


def _fields(model: type[BaseModel], at: str = "") -> Iterator[tuple[str, Any]]:
    for name, field in model.model_fields.items():
        yield f"{at}{name}", field
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _fields(field.annotation, f"{at}{name}.")


def test_every_field_of_ours_is_described() -> None:
    """Each field says what it means, and each number what zero means or that there is none."""
    described = {name: field for name, field in _fields(Config) if not name.startswith(("redact.", "errors."))}
    assert [] == [name for name, field in described.items() if not field.description]
    numbers = {name: field for name, field in described.items() if field.annotation in (int, float, int | None)}
    assert [] == [name for name, field in numbers.items() if "0" not in str(field.description)]


def test_the_example_loads() -> None:
    """docs/examples/monitor.yaml is a configuration, its sources and formats can be built, and it shows every key."""
    found = load_config(EXAMPLE, {})
    assert ["exported", "chat"] == [source.name for source in found.sources]
    assert ["file", "file"] == [source.build().type for source in found.sources]
    assert [None, "openai_chat"] == [built and built.name for built in (each.build_format() for each in found.sources)]
    text = EXAMPLE.read_text(encoding="utf-8")
    shown = [name for name, _ in _fields(Config) if not name.startswith("redact.")]
    assert [] == [name for name in shown if f"{name.rpartition('.')[2]}:" not in text]


def test_a_label_that_metrics_have_can_be_capped() -> None:
    """The labels that can be capped are those that metrics cap."""
    assert set(CAPS) == set(get_args(MetricLabel))


def test_the_schema_knows_the_types_options() -> None:
    """The published schema has every key, and a source type's own options where it is chosen."""
    schema = config_schema()
    assert set(Config.model_fields) == set(schema["properties"])
    branches = schema["$defs"]["SourceConfig"]["allOf"]
    assert {"path", "depth"} == next(
        set(branch["then"]["properties"])
        for branch in branches
        if branch["if"]["properties"]["type"] == {"const": "pile"}
    )


def test_importing_it_imports_no_client() -> None:
    """Reading a configuration starts fast: no database, data frame, cloud or telemetry library is imported."""
    code = (
        "import sys, monitor.config as config; config.load_config(environment={});"
        "print(sorted({'sqlalchemy', 'pandas', 'pyarrow', 'google', 'opentelemetry', 'sqlglot', 'babel'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.strip()
