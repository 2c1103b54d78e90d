"""Bad input: quarantined with its cause while the rest goes on, or refused with a hint before anything is written."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.acceptance.conftest import Monitor

GOOD: dict[str, Any] = {
    "schema_version": 1,
    "id": "good",
    "turns": [
        {
            "id": "t1",
            "state": "complete",
            "question": {"text": "How many flights?"},
            "answer": {"text": "AA had 1,234 flights."},
            "queries": [
                {"id": "q", "status": "ok", "result": {"columns": ["carrier", "flights"], "rows": [["AA", 1234]]}}
            ],
        }
    ],
}


def record(**turn: Any) -> bytes:
    """A native record whose turn differs so."""
    return orjson.dumps({**GOOD, "id": "bad", "turns": [{**GOOD["turns"][0], **turn}]})


LONG_ROW = [{"id": "q", "status": "ok", "result": {"columns": ["carrier"], "rows": [["AA", 1234]]}}]
BAD: dict[str, tuple[bytes, str]] = {
    "a broken line": (b'{"id": "bad", "turns": [', "not_json"),
    "an unknown format": (b'{"hello": "world"}', "invalid"),
    "nesting over 64": (b'{"id": "bad", "turns": ' + b"[" * 70 + b"]" * 70 + b"}", "too_deep"),
    "a line of 50 MB": (b'{"id": "bad", "x": "' + b"x" * 50_000_000 + b'"}', "too_large"),
    "invalid UTF-8": (b'{"id": "\xff\xfe", "turns": []}', "not_utf8"),
    "NaN": (b'{"id": "bad", "turns": [], "x": NaN}', "not_json"),
    "Infinity": (b'{"id": "bad", "turns": [], "x": -Infinity}', "not_json"),
    "a missing answer": (record(answer=None), "invalid"),
    "a row longer than its columns": (record(queries=LONG_ROW), "invalid"),
    "a list of numbers": (b"[1, 2, 3]", "invalid"),
    "a bare word": (b"hello", "not_json"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_record_among_good_ones(monitor: Monitor, tmp_path: Path, name: str) -> None:
    """It is quarantined with file, position and cause; its neighbours are checked; the exit code stays 0."""
    line, cause = BAD[name]
    lines = [orjson.dumps({**GOOD, "id": f"good-{n}"}) for n in range(12)]
    lines.insert(3, line)
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    done = monitor("evaluate", "a.jsonl", "--json")
    assert 0 == done.returncode, done.stderr
    assert f"a.jsonl:4: {cause}: " in done.stderr
    assert "records: read 13 = parsed 12 + ignored 0 + quarantined 1" in done.stderr
    assert 12 == sum(orjson.loads(line)["label"] == "pass" for line in done.stdout.splitlines())


def test_the_daemon_accounts_for_them_all(monitor: Monitor, tmp_path: Path) -> None:
    """Run by the daemon, every bad record is in the quarantine and both ledgers add up."""
    good = [orjson.dumps({**GOOD, "id": f"good-{n}"}) for n in range(200)]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join([*good, *(line for line, _ in BAD.values())]))
    (tmp_path / "monitor.yaml").write_text(
        "sources: [{name: a, type: file, path: a.jsonl}]\ntelemetry: {metrics_port: null}\n"
    )
    done = monitor("run")
    assert 0 == done.returncode, done.stderr
    status = orjson.loads(monitor("status", "--json").stdout)
    ledger = status["ledger"]["sources"]["a"]
    assert {"read": 211, "parsed": 200, "ignored": 0, "quarantined": 11} == ledger["records"]
    assert (200, 200) == (ledger["turns"]["seen"], ledger["turns"]["evaluated"])
    assert status["balanced"]
    causes: dict[str, int] = {}
    for _, cause in BAD.values():
        causes[cause] = causes.get(cause, 0) + 1
    assert causes == status["quarantine"]


def test_times_without_a_zone(monitor: Monitor, tmp_path: Path) -> None:
    """A time that says no zone is taken as UTC, by the daemon too."""
    (tmp_path / "a.jsonl").write_bytes(record(ended_at="2026-01-01T00:00:00", started_at="2026-01-01T00:00:00Z"))
    (tmp_path / "monitor.yaml").write_text(
        "sources: [{name: a, type: file, path: a.jsonl}]\ntelemetry: {metrics_port: null}\n"
    )
    done = monitor("run")
    assert 0 == done.returncode, done.stderr
    assert "broke" not in done.stderr
    assert 1 == orjson.loads(monitor("status", "--json").stdout)["ledger"]["sources"]["a"]["turns"]["evaluated"]


def test_duplicate_keys(monitor: Monitor, tmp_path: Path) -> None:
    """Of duplicate keys the last wins."""
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(GOOD).replace(b'"id":"good"', b'"id":"first","id":"last"'))
    done = monitor("evaluate", "a.jsonl", "--json")
    assert {"last"} == {orjson.loads(line)["conversation_id"] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("content", [b"", b"\n\n", b"hello\nworld\n", b'{"hello": 1}\n'])
def test_nothing_that_can_be_read(monitor: Monitor, tmp_path: Path, content: bytes) -> None:
    """When nothing at all could be read the exit code is 2, with a hint."""
    (tmp_path / "a.jsonl").write_bytes(content)
    done = monitor("evaluate", "a.jsonl")
    assert 2 == done.returncode
    assert "hint:" in done.stderr


def test_a_damaged_archive(monitor: Monitor, tmp_path: Path) -> None:
    """A cut gzip file gives what can be read, and says where it ends."""
    packed = gzip.compress(b"\n".join(orjson.dumps({**GOOD, "id": f"good-{n}"}) for n in range(500)), compresslevel=0)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = monitor("evaluate", "a.jsonl.gz", "--json")
    assert 0 == done.returncode, done.stderr
    assert "damaged gzip" in done.stderr
    assert len(done.stdout.splitlines()) > 200


RULE = "name: {name}\ncheck: grounded\n"
WRONG: dict[str, tuple[list[str], dict[str, str], list[str]]] = {
    "a missing file": (["evaluate", "nothing.jsonl"], {}, ["nothing.jsonl", "no such file"]),
    "an unknown format": (["evaluate", "a.jsonl", "--format", "opanai"], {}, ["opanai", "openai_chat"]),
    "an unknown option in a rule": (
        ["evaluate", "a.jsonl", "--rules", "rules"],
        {"rules/checks/mine.yaml": RULE.format(name="mine") + "with: {strictness: 3}\n"},
        ["mine.yaml:3", "strictness"],
    ),
    "a rate above 1": (
        ["evaluate", "a.jsonl", "--rules", "rules"],
        {"rules/checks/mine.yaml": RULE.format(name="mine") + "sample: {rate: 1.5}\n"},
        ["mine.yaml:3", "sample.rate", "0 to 1"],
    ),
    "an unknown check": (
        ["lint", "--rules", "rules"],
        {"rules/checks/mine.yaml": "name: mine\ncheck: grunded\n"},
        ["mine.yaml:2", "grunded", "grounded"],
    ),
    "no configuration": (["run"], {}, ["no source is configured"]),
    "an unknown key": (
        ["run"],
        {"monitor.yaml": "sources: []\nsourcs: []\n"},
        ["monitor.yaml:2", "sourcs", "sources"],
    ),
    "a source without its file": (
        ["run"],
        {"monitor.yaml": "sources: [{name: a, type: file, path: none.jsonl}]\ntelemetry: {metrics_port: null}\n"},
        ["none.jsonl", "no such file"],
    ),
    "no state": (["status"], {}, ["state"]),
    "an unset variable": (
        ["run"],
        {"monitor.yaml": "sources: [{name: a, type: file, path: '${NOWHERE}/a.jsonl'}]\n"},
        ["NOWHERE", "not set"],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_configuration(monitor: Monitor, tmp_path: Path, name: str) -> None:
    """Exit 2, what is wrong and where, what to do, and no outcome."""
    arguments, files, words = WRONG[name]
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(GOOD))
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    done = monitor(*arguments)
    assert 2 == done.returncode, done.stdout + done.stderr
    assert "" == done.stdout
    assert "Traceback" not in done.stderr
    for word in (*words, "error:"):
        assert word in done.stderr
    assert "hint:" in done.stderr or "(" in done.stderr


@pytest.mark.parametrize(
    "answer", ["\x1b[2J\x1b]0;owned\x07 5 flights", "5\u202e flights\r\n\x00", "<b>5</b>'; DROP TABLE turns; --"]
)
def test_hostile_text_on_a_terminal(monitor: Monitor, tmp_path: Path, answer: str) -> None:
    """Recorded control and direction characters reach no terminal."""
    hostile = {
        **GOOD,
        "id": "a\x1b[31mb",
        "turns": [{**GOOD["turns"][0], "answer": {"text": answer}, "id": "t\x1b[0m"}],
    }
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(hostile))
    done = monitor("evaluate", "a.jsonl", "--all")
    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(done.stdout + done.stderr)
