"""What the pages say can be held against the code: names, tables, links, examples and commands."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
import typer.main

from monitor import cli, semconv
from monitor.checks import checks
from monitor.checks.grounded.answer import MAX_FIGURES
from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.evidence.index import MAX_CELLS, MAX_WORK
from monitor.checks.grounded.evidence.texts import MAX_TEXT
from monitor.checks.grounded.faults import FAULTS
from monitor.checks.grounded.verdict import MAX_ANSWER, Mode, ground
from monitor.config import Config, config_schema, load_config
from monitor.conversation import CONTEXT, Conversation, ErrorKind
from monitor.errors import RecordError
from monitor.formats import formats
from monitor.formats._errors import INFRASTRUCTURE, RECOVERABLE, REFUSALS
from monitor.formats.extract import Extraction, QueryPaths
from monitor.formats.mapping import MappingFields
from monitor.formats.native import native_schema
from monitor.metrics import CAPS, TABLE
from monitor.outcome import CAUSES, LABELS
from monitor.redact import Redaction
from monitor.redact_detectors import KINDS
from monitor.sql import MAX_SQL
from monitor.store.schema import READABLE, metadata
from monitor.testing import turn

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "rules" / "README.md"])
OURS = [page for page in PAGES if page.parent.name == "docs"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILE = re.compile(r"^`([\w.-]+)`:[^\n]*\n\n```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TICKED = re.compile(r"`([^`\n]+)`")
LEVELS = "debug|info|warning|error|exception|critical"


def text_of(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """The text below a heading, down to the next of its level or above."""
    level, _, _ = heading.partition(" ")
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, heading
    return found[1]


def rows_of(text: str) -> list[list[str]]:
    """The cells of every table row in *text*, headings and rulers left out."""
    lines = text.splitlines()
    rulers = {number for number, line in enumerate(lines) if re.fullmatch(r"\|(?:-+\|)+", line)}
    skipped = rulers | {number - 1 for number in rulers}
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for number, line in enumerate(lines)
        if line.startswith("|") and number not in skipped
    ]


def ticked(text: str) -> list[str]:
    return TICKED.findall(text)


def words_of(text: str) -> set[str]:
    """Everything in backticks in a table's rows."""
    return {word for row in rows_of(text) for cell in row for word in ticked(cell)}


def slug(heading: str) -> str:
    """The anchor that a heading gets where the pages are shown."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def examples(page: Path) -> Iterator[tuple[str, str]]:
    """Files that a page shows: (name, content)."""
    yield from ((found[1], found[2]) for found in FILE.finditer(page.read_text(encoding="utf-8")))


def written(page: str, folder: Path, *names: str) -> None:
    """Write the files that *page* shows last under these names into *folder*."""
    shown = dict(examples(ROOT / "docs" / f"{page}.md"))
    for name in names:
        (folder / name).write_text(shown[name], encoding="utf-8")


# --- links and commands ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file that is there, and an anchor a heading in it."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE) if file.is_file() else []
        if not file.exists() or (anchor and anchor not in {slug(heading) for heading in headings}):
            broken.append(target)
    assert [] == broken


def commands(page: Path) -> Iterator[list[str]]:
    """Every command that a page shows, in a block or within a sentence, as words after `monitor`."""
    text = page.read_text(encoding="utf-8")
    blocks = [line for _, block in FENCE.findall(text) for line in block.splitlines()]
    indented = re.findall(r"^ {4,}(monitor .*)$", text, re.MULTILINE)
    for line in [*blocks, *indented, *ticked(FENCE.sub("", text))]:
        if found := re.fullmatch(r"(?:\w+=\S+ )*monitor ([a-z].*)", line.strip()):
            yield shlex.split(found[1], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_exist(page: Path) -> None:
    """Every `monitor VERB`, and every option in a command line, is one that the program has."""
    app = typer.main.get_command(cli._app([]))
    known: dict[str, set[str]] = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in app.commands.items()  # type: ignore[attr-defined]
    }
    lines = list(commands(page))
    assert set() == {line[0] for line in lines} - known.keys()
    unknown = [(line[0], word) for line in lines for word in line if word[:2] == "--" and word not in known[line[0]]]
    assert [] == unknown


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_files_of_the_project_exist(page: Path) -> None:
    """A file or folder of ours that a page names is there, from the top or within the package."""
    names = {word for word in ticked(FENCE.sub("", page.read_text(encoding="utf-8"))) if "<" not in word}
    ours = {name for name in names if name.endswith(".py") or re.match(r"(?:tests|rules|docs|monitor)/", name)}
    assert set() == {name for name in ours if not (ROOT / name).exists() and not (ROOT / "monitor" / name).exists()}


# --- configuration ------------------------------------------------------------------------------------------------


def test_monitor_yaml_shown_is_valid(tmp_path: Path) -> None:
    """Each monitor.yaml on a page loads, its sources and formats with all their options."""
    shown = [(page.name, text) for page in PAGES for name, text in examples(page) if name == "monitor.yaml"]
    assert shown
    for number, (_, text) in enumerate(shown):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text, encoding="utf-8")
        for source in load_config(file, {}).sources:
            source.build()
            source.build_format()


def config_keys() -> set[str]:
    """Every dotted key of monitor.yaml."""
    schema = config_schema()

    def below(node: dict[str, Any], prefix: str) -> Iterator[str]:
        target = node.get("$ref", "").rsplit("/", 1)[-1]
        for name, inner in (schema["$defs"][target] if target else node).get("properties", {}).items():
            yield f"{prefix}{name}"
            yield from below(inner, f"{prefix}{name}.")

    return set(below(schema, ""))


@pytest.mark.parametrize("page", OURS, ids=lambda page: page.name)
def test_configuration_keys_exist(page: Path) -> None:
    """A key of monitor.yaml that a page names (`limits.batch`) is one."""
    keys = config_keys()
    named = {word.split(":")[0] for word in ticked(FENCE.sub("", page.read_text(encoding="utf-8")))}
    sections = tuple(f"{name}." for name in Config.model_fields)
    meant = {word for word in named if word.startswith(sections) and re.fullmatch(r"[a-z_.]+", word)}
    files = {word for word in meant if word.endswith((".py", ".md"))}
    assert set() == meant - keys - files


def test_redaction_options_are_all_described() -> None:
    """Security's table has each key of `redact:`, and each marker."""
    rows = rows_of(section(text_of("security"), "## Redaction"))
    options = [row for row in rows if len(row) == 4]
    assert set(Redaction.model_fields) == {ticked(row[0])[0] for row in options}
    assert set(KINDS) == {word for row in options for word in ticked(row[3])}
    for row in options[:-1]:
        assert ("on" if getattr(Redaction(), ticked(row[0])[0]) else "off") == row[1]


# --- formats ------------------------------------------------------------------------------------------------------


def test_every_format_is_described() -> None:
    """Both tables of formats, and the one of ends of turns, have each format and no other."""
    text = text_of("formats")
    which = rows_of(section(text, "## Which formats").split("### Files")[0])
    assert set(formats.names()) == {ticked(row[0])[0] for row in which if len(row) == 4}
    assert set(formats.names()) == {ticked(row[0])[0] for row in which if len(row) == 5}
    ends = rows_of(section(text, "### When a turn is over"))
    assert set(formats.names()) == {ticked(row[0])[0] for row in ends}


def test_format_options_exist() -> None:
    """An option that the page gives a format is a field of it, and none is left out."""
    which = rows_of(section(text_of("formats"), "## Which formats").split("### Files")[0])
    for row in (row for row in which if len(row) == 5):
        fields = set(formats.get(ticked(row[0])[0]).model_fields) - {"extract"}
        assert fields == fields & set(ticked(row[4])), row[0]


def native_fields() -> dict[str, set[str]]:
    """The fields of each model in the native format's section, by the table they stand in."""
    found: dict[str, set[str]] = {}
    text = section(text_of("formats"), "### Fields")
    for part in re.split(r"^(?=\*\*)", text, flags=re.MULTILINE)[1:]:
        models = re.findall(r"\*\*(\w+)\*\*", part.splitlines()[0])
        for row in rows_of(part):
            of = models if len(models) == 1 or row[1] == "both" else [row[1]]
            for model in of:
                found.setdefault(model, set()).update(ticked(row[0]))
    return found


def test_native_fields_are_the_schemas() -> None:
    """Every field of the published schema stands in the page, and nothing else does."""
    schema = {name: set(model["properties"]) for name, model in native_schema()["$defs"].items()}
    assert schema == native_fields()


def test_native_required_fields_are_marked() -> None:
    """What the page calls required the schema requires, and the other way round."""
    schema = native_schema()["$defs"]
    required = {(model, field) for model, spec in schema.items() for field in spec.get("required", ())}
    marked: set[tuple[str, str]] = set()
    text = section(text_of("formats"), "### Fields")
    for part in re.split(r"^(?=\*\*)", text, flags=re.MULTILINE)[1:]:
        models = re.findall(r"\*\*(\w+)\*\*", part.splitlines()[0])
        for row in rows_of(part):
            if row[-1].endswith("required"):
                model = models[0] if len(models) == 1 else row[1]
                marked |= {(model, field) for field in ticked(row[0])}
    assert required == marked


def test_mapping_targets_are_all_described() -> None:
    """The mapping's table has every target."""
    targets = rows_of(section(text_of("formats"), "## Mapping: a table of your own"))
    assert set(MappingFields.model_fields) == {word for row in targets for word in ticked(row[0])}


def test_extraction_options_are_all_described() -> None:
    """The keys of `extract:` and of its `queries`."""
    rows = rows_of(section(text_of("formats"), "## Queries, rows and errors out of tool calls"))
    options = {ticked(row[0])[0]: row[1] for row in rows if len(row) == 2 and row[0].startswith("`")}
    assert set(Extraction.model_fields) == set(options)
    assert set(QueryPaths.model_fields) == set(ticked(options["queries"]))


def test_error_classes_are_the_built_in_ones() -> None:
    """Each class with exactly its codes."""
    rows = {ticked(row[0])[0]: row[2] for row in rows_of(section(text_of("formats"), "## Error classes"))}
    assert set(get_args(ErrorKind)) == rows.keys()
    for kind, codes in (("refusal", REFUSALS), ("recoverable", RECOVERABLE), ("infrastructure", INFRASTRUCTURE)):
        assert codes == {word for word in ticked(rows[kind]) if ":" not in word}


def test_quarantine_causes_are_all_described() -> None:
    """The causes that RecordError names are the page's."""
    named = set(re.findall(r"``(\w+)``", inspect.getdoc(RecordError) or ""))
    assert named == {ticked(row[0])[0] for row in rows_of(section(text_of("formats"), "## Quarantine"))}


# --- checks -------------------------------------------------------------------------------------------------------


def test_labels_and_causes_are_all_described() -> None:
    """Five labels, every cause of not_evaluable."""
    rows = rows_of(section(text_of("checks"), "## An outcome"))
    assert set(LABELS) == {word for row in rows if len(row) == 5 for word in ticked(row[0])}
    assert set(CAUSES) == {word for row in rows if len(row) == 2 for word in ticked(row[0])}


def test_every_check_is_described() -> None:
    """A check that is added gets a section of its own."""
    headings = set(re.findall(r"^## (\w+)$", text_of("checks"), re.MULTILINE))
    assert {"grounded", "refusal_explained"} <= headings
    assert set(checks.names()) == {name for name in checks.names() if name in headings}


def test_verdicts_read_as_shown() -> None:
    """The examples of the page are judged and explained as its table says."""
    text = section(text_of("checks"), "### How a verdict reads")
    shown = dict(examples(ROOT / "docs" / "checks.md"))["answers.jsonl"]
    told = []
    for line in shown.splitlines():
        record = orjson.loads(line)
        for figure in ground(record["answer"], evidence_of_record("", record["evidence"])):
            mark = {True: "ok", False: "no", None: "??"}[figure.grounded]
            told.append([record["id"], mark, figure.text, figure.explanation])
    assert [row for row in rows_of(text) if len(row) == 4] == told


def test_faults_are_all_described() -> None:
    """Each fault with its severity and what it means, in the code's order."""
    rows = [row for row in rows_of(section(text_of("checks"), "### How a verdict reads")) if len(row) == 3]
    assert [[f"`{name}`", fault.severity, fault.meaning] for name, fault in FAULTS.items()] == rows


def test_bounds_are_the_codes() -> None:
    """What the figure check looks at at most, row by row."""
    rows = [
        re.findall(r"\d[\d,]*", row[1]) for row in rows_of(section(text_of("checks"), "### What it looks at at most"))
    ]
    bounds = [[MAX_ANSWER, MAX_FIGURES], [MAX_CELLS, MAX_TEXT], [MAX_WORK], [MAX_SQL], [CONTEXT]]
    assert [[f"{bound:,}" for bound in row] for row in bounds] == rows


def test_options_of_the_checks_are_all_described() -> None:
    """Each field of the grounded check with its default and its choices."""
    ((name, meaning, default),) = rows_of(section(text_of("checks"), "### Options"))
    field = checks.get("grounded").model_fields["mode"]
    assert (["`mode`"], f"`{field.default}`") == ([name], default)
    assert set(get_args(Mode)) <= set(ticked(meaning))


def test_the_check_to_add_works() -> None:
    """The example of a new check can be registered, takes its option and decides."""
    source = next(code for language, code in FENCE.findall(text_of("checks")) if language == "python")
    try:
        exec(compile(source, "answer_length.py", "exec"), {"__name__": "example"})  # noqa: S102 - the page's own example
        check = checks.get("answer_length")(words=2)  # type: ignore[call-arg]
    finally:
        checks._classes.pop("answer_length", None)
    outcome = check.run(turn("There were three words."), Conversation(id="c"))
    assert ("fail", "4 words, more than 2") == (outcome.label, outcome.explanation)


# --- operations ---------------------------------------------------------------------------------------------------


def test_metrics_table_is_the_codes() -> None:
    """Name, type, labels and help of every metric, in its order."""
    rows = rows_of(section(text_of("operations"), "## Metrics").split("### ")[0])
    expected = [[f"`{m.name}`", m.type, ", ".join(m.labels) or "–", m.help] for m in TABLE]
    assert expected == rows


def test_queries_name_metrics_and_labels_that_exist() -> None:
    """Each name in the PromQL is a metric, each label one of its own."""
    (queries,) = [code for language, code in FENCE.findall(text_of("operations")) if language == "promql"]
    metrics = {metric.name: metric for metric in TABLE}
    used = re.findall(r"conversation_monitor_(\w+?)(?:_bucket)?(?:\{([^}]*)\})?[\[)]", queries)
    assert used
    for name, selectors in used:
        assert set(re.findall(r"(\w+)(?==)", selectors)) <= set(metrics[name].labels), name
    for label in {label for group in re.findall(r"by \(([^)]*)\)", queries) for label in group.split(", ")}:
        assert label == "le" or any(label in metric.labels for metric in TABLE), label


def test_attributes_are_wire_names() -> None:
    """The attributes that the page lists are names of semconv, and all of an outcome without a judge."""
    names = {value for name, value in vars(semconv).items() if name.isupper() and isinstance(value, str)}
    wire = {
        name for name in names if name.startswith(("gen_ai.evaluation.", "gen_ai.response", "conversation_monitor."))
    }
    wire = {name for name in wire if ".judge." not in name} - {semconv.EVALUATION_RESULT} | {semconv.ERROR_TYPE}
    tables = rows_of(section(text_of("operations"), "## OpenTelemetry"))
    listed = {
        word
        for row in tables
        if len(row) == 3
        for word in ticked(row[0])
        if re.match(r"(?!gen_ai\.evaluation\.result)[a-z_]+\.", word)
    }
    assert wire == listed


def test_log_events_are_all_described() -> None:
    """What the code logs is what the page lists, with its level."""
    logged: dict[str, set[str]] = {}
    for file in (ROOT / "monitor").rglob("*.py"):
        for level, event in re.findall(rf"\b_?log\.({LEVELS})\(\s*\"(\w+)\"", file.read_text(encoding="utf-8")):
            logged.setdefault(event, set()).add(level)
    rows = {ticked(row[0])[0]: set(row[1].split(", ")) for row in rows_of(section(text_of("operations"), "## Logs"))}
    assert logged == rows


def test_exported_tables_are_all_described() -> None:
    """A row for each file that an export may write."""
    rows = rows_of(section(text_of("operations"), "## Export"))
    assert {f"{name}.parquet" for name in READABLE} == {ticked(row[0])[0] for row in rows}


def test_tables_that_hold_text_exist() -> None:
    """Security names tables of the state only."""
    rows = rows_of(section(text_of("security"), "## Where text is kept"))
    named = {word for row in rows for word in ticked(row[1])}
    assert set() == named - set(metadata.tables)
    assert set() == {"fragments", "turn_texts", "outcome_texts", "quarantine"} - named


def test_label_caps_are_configurable_as_said() -> None:
    """`telemetry.label_caps` takes every label that has a cap."""
    known = Config.model_validate({"telemetry": {"label_caps": dict.fromkeys(CAPS, 3)}})
    assert set(CAPS) == set(known.telemetry.label_caps)


# --- worked examples --------------------------------------------------------------------------------------------------


@pytest.fixture
def monitor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Callable[[str], tuple[int, str]]:
    """Run a command line in an empty folder; answers with exit code and standard output."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("OTEL_", "MONITOR_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MONITOR_TELEMETRY__METRICS_PORT", "null")

    def run(line: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(shlex.split(line, comments=True)[1:])
        return int(ended.value.code or 0), capsysbinary.readouterr().out.decode()

    return run


def test_the_native_example_is_read(tmp_path: Path, monitor: Callable[[str], tuple[int, str]]) -> None:
    """A conversation, a turn event and an ended event: a figure that is right, a refusal that is explained."""
    written("formats", tmp_path, "conversations.jsonl")
    code, out = monitor("monitor evaluate conversations.jsonl --json")
    found = {(o["conversation_id"], o["rule"]): o["label"] for o in map(orjson.loads, out.splitlines())}
    expected = {
        ("c-1", "grounded"): "pass",
        ("c-1", "refusal_explained"): "not_applicable",
        ("c-2", "grounded"): "not_applicable",
        ("c-2", "refusal_explained"): "pass",
    }
    assert (0, expected) == (code, found)


def test_the_mapping_example_is_read(tmp_path: Path, monitor: Callable[[str], tuple[int, str]]) -> None:
    """The table of the page: its first turn is right, its second is answered around a refusal."""
    shown = [text for name, text in examples(ROOT / "docs" / "formats.md") if "type: mapping" in text]
    (tmp_path / "monitor.yaml").write_text(shown[0], encoding="utf-8")
    written("formats", tmp_path, "agent_log.jsonl")
    assert 0 == monitor("monitor lint")[0]
    code, out = monitor("monitor evaluate agent_log.jsonl --source agent_log --json")
    found = {
        (o["turn_id"], o["rule"]): (o["label"], o["team"], o["agent"]) for o in map(orjson.loads, out.splitlines())
    }
    mine = ("network-planning", "flights-assistant")
    expected = {
        ("1", "grounded"): ("pass", *mine),
        ("1", "refusal_explained"): ("not_applicable", *mine),
        ("2", "grounded"): ("fail", *mine),
        ("2", "refusal_explained"): ("fail", *mine),
    }
    assert (1, expected) == (code, found)


def test_the_operators_commands_work(tmp_path: Path, monitor: Callable[[str], tuple[int, str]]) -> None:
    """Run, status, explain, prune and export as operations says, and the rate as pandas reads it."""
    written("operations", tmp_path, "monitor.yaml")
    config = tmp_path / "monitor.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("follow: true", "follow: false"), encoding="utf-8")
    (tmp_path / "logs").mkdir()
    written("formats", tmp_path / "logs", "conversations.jsonl")
    lines = ("lint", "run", "status", "prune --days 7", "explain c-2 --in logs/", "export out --texts")
    assert [0] * len(lines) == [monitor(f"monitor {line}")[0] for line in lines]
    assert "Aurora's flights are 1,374" in monitor("monitor explain c-1")[1]
    assert {f"{name}.parquet" for name in READABLE} == {file.name for file in (tmp_path / "out").iterdir()}
    (code,) = [code for language, code in FENCE.findall(text_of("operations")) if language == "python"]
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "rates.py", "exec"), {})  # noqa: S102 - the page's own example
    assert re.search(r"grounded +2026-09-28 +0\.0", printed.getvalue())
