"""The command line as a newcomer meets it: what is wrong, why nothing is, and where to look next."""

from __future__ import annotations

import gzip
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pytest
from pyarrow import parquet

import monitor as package
from monitor.demo import recordings
from tests.acceptance.conftest import Monitor

CONFIG = """\
telemetry: {metrics_port: null}
sources:
- {name: live, type: file, path: "*.jsonl", scope: {team: ops}}
"""


def chat(name: str, *answers: str, asked: str = "How many?") -> dict[str, Any]:
    """A conversation in which nothing was queried."""
    messages = []
    for answer in answers:
        messages += [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
    return {"id": name, "messages": messages}


def write(path: Path, *records: Any) -> None:
    path.write_bytes(
        b"".join(record if isinstance(record, bytes) else orjson.dumps(record) + b"\n" for record in records)
    )


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose conversations have been watched: two turns fail, three records are broken."""
    folder = tmp_path_factory.mktemp("watched")
    write(folder / "a.jsonl", chat("wrong", *["Hello."] * 11, "There were 41."), b"x\n", b"y\n", b"z\n")
    write(folder / "b.jsonl", chat("other", "There were 7."))
    (folder / "monitor.yaml").write_text(CONFIG)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-m", "monitor", "run"], cwd=folder, env=environment, check=True, timeout=120)
    return folder


@pytest.fixture
def state(watched: Path, tmp_path: Path) -> Path:
    """A copy of that folder, where ``monitor`` runs."""
    shutil.copytree(watched, tmp_path, dirs_exist_ok=True)
    return tmp_path


# --- from the state to the failing conversations --------------------------------------------------------------------


@pytest.mark.usefixtures("state")
def test_what_fails_is_listed(monitor: Monitor) -> None:
    """Status ends with the command that lists the fails; it names conversation, turn, rule, why, and whether filed."""
    status = monitor("status").stdout
    assert status.splitlines()[-1].endswith("monitor explain --failing")
    listed = monitor("explain", "--failing").stdout
    assert re.search(r"^fail +grounded +other t1 +filed\n    “7”: ", listed, re.MULTILINE)
    assert re.search(r"^fail +grounded +wrong t12 +filed\n    “41”: ", listed, re.MULTILINE)
    assert "2 shown, newest first" in listed


@pytest.mark.usefixtures("state")
def test_what_fails_is_listed_for_programs(monitor: Monitor) -> None:
    """With --json an outcome a line, and why it was filed; --limit, --rule and --label narrow it."""
    lines = [orjson.loads(line) for line in monitor("explain", "--failing", "--json").stdout.splitlines()]
    assert {("other", "t1"), ("wrong", "t12")} == {(line["conversation_id"], line["turn_id"]) for line in lines}
    assert {("fail", "grounded", "fail")} == {(line["label"], line["rule"], line["review"]) for line in lines}
    assert all("“7”" in line["explanation"] for line in lines if line["conversation_id"] == "other")
    assert 1 == len(monitor("explain", "--failing", "--limit", "1", "--json").stdout.splitlines())
    assert "" == monitor("explain", "--rule", "refusal_explained", "--json").stdout
    other = monitor("explain", "--label", "not_applicable", "--rule", "refusal_explained", "--json").stdout
    assert 13 == len(other.splitlines())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain"], ["which turn?", "--failing"]),
        (["explain", "wrong", "other"], ["one id", "--in"]),
        (["explain", "wrong", "--failing"], ["either an id or a list"]),
        (["explain", "--failing", "--in", "a.jsonl"], ["monitor evaluate FILE"]),
        (["explain", "--label", "failed"], ["failed", "did you mean 'fail'"]),
        (["explain", "--rule", "grunded"], ["grunded", "did you mean 'grounded'"]),
    ],
)
@pytest.mark.usefixtures("state")
def test_what_cannot_be_listed(monitor: Monitor, arguments: list[str], words: list[str]) -> None:
    """A wrong combination, label or rule is exit 2 with the remedy."""
    done = monitor(*arguments)
    assert (2, "") == (done.returncode, done.stdout)
    for word in words:
        assert word in done.stderr


@pytest.mark.usefixtures("state")
def test_the_quarantine_is_listed(monitor: Monitor) -> None:
    """Status says that there is one; the list has source, place, cause and message; the export has the table."""
    assert "3 records in quarantine: monitor status --quarantine" in monitor("status").stdout
    listed = monitor("status", "--quarantine").stdout
    assert re.search(r"live +not_json +a\.jsonl:2\n    not JSON: ", listed)
    lines = [orjson.loads(line) for line in monitor("status", "--quarantine", "--json").stdout.splitlines()]
    assert ["a.jsonl:2", "a.jsonl:3", "a.jsonl:4"] == sorted(line["position"] for line in lines)
    assert 1 == len(monitor("status", "--quarantine", "--limit", "1", "--json").stdout.splitlines())
    assert "quarantine: 3 rows" in monitor("export", "out").stdout


def test_a_clean_state_says_nothing_of_either(monitor: Monitor, tmp_path: Path) -> None:
    """Without fails and without a quarantine status names no list, and the lists say that they are empty."""
    write(tmp_path / "a.jsonl", chat("fine", "Hello."))
    (tmp_path / "monitor.yaml").write_text(CONFIG)
    assert 0 == monitor("run").returncode
    status = monitor("status").stdout
    assert not {"--failing", "--quarantine"} & set(status.split())
    assert "nothing has the label fail\n" == monitor("explain", "--failing").stdout
    assert "nothing is in quarantine\n" == monitor("status", "--quarantine").stdout


# --- one turn's story -----------------------------------------------------------------------------------------------


def test_explain_shows_question_and_answer(monitor: Monitor, state: Path) -> None:
    """What was asked and answered, safe and bounded; turns in their order; nothing about sampling when all are kept."""
    write(state / "c.txt", chat("long", "\x1b[31mYes\x07 " + "7 or so, " * 120, asked="Why\u202e?"))
    told = monitor("explain", "long", "--in", "c.txt").stdout
    assert "question: Why ?" in told
    assert "answer:  [31mYes  [!7] or so, [!7] or so," in told
    assert len(next(line for line in told.splitlines() if "answer:" in line)) < 1200
    assert not {"\x1b", "\x07", "\u202e"} & set(told)
    story = orjson.loads(monitor("explain", "long", "--in", "c.txt", "--json").stdout)
    assert ("Why\u202e?", 120) == (story["question"], story["answer"].count("7"))
    stored = monitor("explain", "wrong").stdout
    assert [f"t{n}" for n in range(1, 13)] == re.findall(r"^wrong (t\d+):", stored, re.MULTILINE)
    assert "answer: There were [!41]." in stored
    assert "the answer states no figures" in stored
    assert "position" not in stored
    assert [True] * 2 == [rule["kept"] for rule in orjson.loads(monitor("explain", "other", "--json").stdout)["rules"]]


def test_explain_tells_sampling_where_there_is_some(monitor: Monitor, state: Path) -> None:
    """A rate below 1, and a rule that does not match, are told."""
    rules = state / "rules" / "checks"
    rules.mkdir(parents=True)
    (rules / "some.yaml").write_text("name: some\ncheck: grounded\nsample: {rate: 0.5}\n")
    (rules / "sales.yaml").write_text("name: sales\ncheck: grounded\nmatch: {team: sales}\n")
    told = monitor("explain", "other", "--rules", "rules").stdout
    assert re.search(r"  some: (kept|sampled out), position 0\.\d+ [<≥] rate 0\.5", told)
    assert "  sales: does not match this traffic" in told


def test_explain_shows_a_repeated_history_once(monitor: Monitor, tmp_path: Path) -> None:
    """A conversation recorded again and again, over several files, is told turn by turn once."""
    write(tmp_path / "a.jsonl", chat("c", "One."), chat("c", "One.", "Two."))
    write(tmp_path / "b.jsonl", chat("c", "One.", "Two.", "Three."))
    told = monitor("explain", "c", "--in", "a.jsonl", "b.jsonl").stdout
    assert ["t1", "t2", "t3"] == re.findall(r"^c (t\d+):", told, re.MULTILINE)


# --- files ----------------------------------------------------------------------------------------------------------


def test_several_files(monitor: Monitor, tmp_path: Path) -> None:
    """What a shell makes of a pattern is taken by evaluate and ground; what is gzip or Parquet inside is read."""
    write(tmp_path / "a.jsonl", chat("a", "Hello."))
    (tmp_path / "b.jsonl").write_bytes(gzip.compress(orjson.dumps(chat("b", "Hello."))))
    parquet.write_table(pa.Table.from_pylist([chat("c", "Hello.")]), tmp_path / "c.jsonl")
    done = monitor("evaluate", "a.jsonl", "b.jsonl", "c.jsonl", "--json")
    assert {"a", "b", "c"} == {orjson.loads(line)["conversation_id"] for line in done.stdout.splitlines()}, done.stderr
    for name in ("d", "e"):
        write(tmp_path / f"{name}.jsonl", {"id": name, "question": "", "evidence": [], "answer": "Hello."})
    done = monitor("ground", "d.jsonl", "e.jsonl", "--json")
    assert ["d", "e"] == [orjson.loads(line)["id"] for line in done.stdout.splitlines()]


def test_ground_shows_figures_and_their_sources(monitor: Monitor, tmp_path: Path) -> None:
    """The answer with each figure marked, its source beneath; --json in the shape of a prediction; modes differ."""
    table = {"kind": "table", "columns": ["carrier", "avg_delay"], "rows": [["Aurora", 12.4], ["Cloudline", 9.1]]}
    record = {"id": "a", "evidence": [table], "answer": "Cloudline's average delay was 12.4."}
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(record))
    plain = monitor("ground", "a.jsonl")
    assert (1, "") == (plain.returncode, plain.stderr)
    assert [
        "",
        "a",
        "  Cloudline's average delay was [!12.4].",
        "    figure  fault             where it comes from",
        "no  12.4    wrong row, major  12.4 is Aurora's average delay; Cloudline's is 9.1",
    ] == plain.stdout.splitlines()
    figure = {
        "start": 30,
        "end": 34,
        "text": "12.4",
        "value": 12.4,
        "unit": None,
        "grounded": False,
        "fault": "wrong_row",
        "severity": "major",
        "source": {"kind": "cell", "table": "table 1", "row": 0, "column": "avg_delay", "value": 12.4},
        "explanation": "12.4 is Aurora's average delay; Cloudline's is 9.1",
    }
    told = monitor("ground", "a.jsonl", "--json")
    assert {"id": "a", "figures": [figure]} == orjson.loads(told.stdout)
    loose = monitor("ground", "a.jsonl", "--json", "--mode", "membership")
    assert (0, [True]) == (loose.returncode, [each["grounded"] for each in orjson.loads(loose.stdout)["figures"]])
    assert 2 == monitor("ground", "a.jsonl", "--mode", "loose").returncode


@pytest.mark.parametrize("kind", ["plain", "gzip", "parquet"])
def test_standard_input(monitor: Monitor, tmp_path: Path, kind: str) -> None:
    """Standard input is what its first bytes say."""
    content = orjson.dumps(chat("a", "Hello."))
    if kind == "gzip":
        content = gzip.compress(content)
    elif kind == "parquet":
        parquet.write_table(pa.Table.from_pylist([chat("a", "Hello.")]), tmp_path / "a")
        content = (tmp_path / "a").read_bytes()
    done = monitor("evaluate", "-", "--json", stdin=content)
    assert {"a"} == {orjson.loads(line)["conversation_id"] for line in done.stdout.splitlines()}, done.stderr


def test_a_file_named_on_the_command_line_is_where_one_stands(monitor: Monitor, tmp_path: Path) -> None:
    """With a configuration in another folder FILE is still relative to the working folder."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "monitor.yaml").write_text(CONFIG)
    write(tmp_path / "a.jsonl", chat("a", "Hello."))
    done = monitor("evaluate", "a.jsonl", "--config", "etc/monitor.yaml", "--source", "live", "--json")
    assert {"ops"} == {orjson.loads(line)["team"] for line in done.stdout.splitlines()}, done.stderr


def test_a_missing_file_of_the_configuration(monitor: Monitor, tmp_path: Path) -> None:
    """The message has the path as it was looked for, and no word about where one stands."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "monitor.yaml").write_text(CONFIG.replace("*.jsonl", "logs/a.jsonl"))
    done = monitor("run", "--config", "etc/monitor.yaml")
    assert (2, True) == (done.returncode, "etc/logs/a.jsonl: no such file" in done.stderr)
    assert "relative" not in done.stderr


# --- nothing to check -----------------------------------------------------------------------------------------------


def test_why_nothing_was_checked(monitor: Monitor, tmp_path: Path) -> None:
    """Unfinished turns, records of no interest and rules that match nothing are said in a line, without a table."""
    unfinished = {"id": "a", "messages": [{"role": "user", "content": "How many?"}]}
    write(tmp_path / "a.jsonl", unfinished)
    done = monitor("evaluate", "a.jsonl")
    assert (0, "") == (done.returncode, done.stdout)
    assert "abandoned 1 (no answer in the record)" in done.stderr
    assert "no turn has an answer: 1 is unfinished\n" in done.stderr
    write(tmp_path / "b.jsonl", {"id": "b", "messages": []})
    done = monitor("evaluate", "b.jsonl", "--format", "openai_chat")
    assert (0, "", True) == (done.returncode, done.stdout, "no turn in there: 1 record" in done.stderr)


def test_why_a_rule_matches_nothing(monitor: Monitor, tmp_path: Path) -> None:
    """What the rule wants, what the recordings have, and how to give them that."""
    (tmp_path / "sales.yaml").write_text("name: sales\ncheck: grounded\nmatch: {team: sales}\n")
    write(tmp_path / "a.jsonl", chat("a", "Hello."))
    done = monitor("evaluate", "a.jsonl", "--rules", "sales.yaml")
    assert (0, "") == (done.returncode, done.stdout)
    assert "filtered 1 (no rule matches)" in done.stderr
    assert "rule sales matches nothing in there: it wants team sales, and the recordings have no team; " in done.stderr
    assert "--source" in done.stderr
    write(tmp_path / "b.jsonl", {**chat("b", "Hello."), "team": "ops"})
    assert "the recordings have ops" in monitor("evaluate", "b.jsonl", "--rules", "sales.yaml").stderr
    write(tmp_path / "c.jsonl", {**chat("c", "Hello."), "team": "sales"})
    assert "matches nothing" not in monitor("evaluate", "b.jsonl", "c.jsonl", "--rules", "sales.yaml").stderr


@pytest.mark.parametrize("content", [b"", b"hello\n"])
def test_nothing_can_be_read(monitor: Monitor, tmp_path: Path, content: bytes) -> None:
    """Exit 2 and no table of zeros."""
    (tmp_path / "a.jsonl").write_bytes(content)
    done = monitor("evaluate", "a.jsonl")
    assert (2, "") == (done.returncode, done.stdout)
    assert "error: " in done.stderr


def test_a_folder_of_broken_records(monitor: Monitor, tmp_path: Path) -> None:
    """One line a file and cause, with a count, the path once; --all has them all."""
    for name in ("a", "b"):
        write(tmp_path / f"{name}.jsonl", b"x\n", b"y\n", b"z\n", {"hello": "world"})
    write(tmp_path / "c.jsonl", chat("c", "Hello."))
    said = [line for line in monitor("evaluate", ".").stderr.splitlines() if line.startswith("quarantined: ")]
    assert 4 == len(said)
    assert "quarantined: a.jsonl:1 and 2 more: not_json: " in said[0]
    assert [1] * 4 == [line.count(".jsonl") for line in said]
    assert 1 == sum("set `format:`" in line for line in said)
    everything = monitor("evaluate", ".", "--all").stderr
    assert 8 == everything.count("quarantined: ")


# --- lint, help, demo -----------------------------------------------------------------------------------------------


def test_lint_tells_what_is_not_there(monitor: Monitor, tmp_path: Path) -> None:
    """No configuration, and a path that matches nothing, are said; neither is a mistake."""
    done = monitor("lint")
    assert (0, True) == (done.returncode, "there is no monitor.yaml here" in done.stdout)
    (tmp_path / "monitor.yaml").write_text(CONFIG.replace("scope:", "follow: true, scope:"))
    done = monitor("lint")
    assert 0 == done.returncode
    assert "fine: 1 source, " in done.stdout
    assert "warning: source live: *.jsonl: no file matches; it is waited for" in done.stderr
    write(tmp_path / "a.jsonl", chat("a", "Hello."))
    assert "" == monitor("lint").stderr


def test_version_and_help(monitor: Monitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is told, and what each verb does is a whole sentence at 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    assert f"conversation-monitor {package.__version__}\n" == monitor("--version").stdout
    page = monitor("--help").stdout
    assert "..." not in page.split("Commands:")[1]


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_tables_fit_the_terminal(monitor: Monitor, monkeypatch: pytest.MonkeyPatch, state: Path, width: int) -> None:
    """No line of a table is wider than the terminal or ends in blanks, and no header is cut."""
    monkeypatch.setenv("COLUMNS", str(width))
    commands = (
        ["status"],
        ["explain", "--failing"],
        ["explain", "wrong"],
        ["status", "--quarantine"],
        ["evaluate", str(recordings()), "--all"],
    )
    for arguments in commands:
        lines = monitor(*arguments).stdout.splitlines()
        assert [] == [line for line in lines if len(line) > width or line != line.rstrip()], arguments
    assert re.search(r"\bquarantined\b", monitor("status").stdout)


def test_piped_output_is_no_wider_than_needed(monitor: Monitor, state: Path) -> None:
    """Without a terminal a sentence is one line, whatever its length, and no line ends in blanks."""
    done = monitor("evaluate", recordings() / "native.jsonl")
    lines = done.stdout.splitlines()
    assert [] == [line for line in lines if line != line.rstrip()]
    assert any(line.startswith("  “17.9 minutes”: ") and line.endswith("15.14") for line in lines)


def test_the_demo_says_where_it_serves() -> None:
    """Without --once the address of /metrics is printed, and something answers there; the review share is explained."""
    process = subprocess.Popen(
        [sys.executable, "-m", "monitor", "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}
    )
    try:
        assert process.stderr is not None
        said = b""
        while b"Ctrl-C" not in said and select.select([process.stderr], [], [], 60)[0]:
            said += os.read(process.stderr.fileno(), 4096)
        address = re.search(rb"http://127\.0\.0\.1:\d+/metrics", said)
        assert address, said
        with urllib.request.urlopen(address[0].decode(), timeout=10) as answer:
            assert b"conversation_monitor_" in answer.read()
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (0, True) == (process.returncode, b"a random control share of the passes" in out)
