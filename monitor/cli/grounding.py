"""How ``ground`` reads records and prints their figures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.verdict import Mode, ground
from monitor.cli import figures, output
from monitor.config import LimitsConfig
from monitor.errors import RecordError, TooLarge
from monitor.jsonio import parse
from monitor.log import printable
from monitor.outcome import FigureVerdict
from monitor.sources import Raw
from monitor.sources.file import FileSource
from monitor.store.batch import Quarantined

_OPTIONAL = ("cause", "fault", "severity")
"""What is left out of a figure's JSON where there is none."""


def run(paths: Sequence[str], *, mode: Mode, as_json: bool, every: bool) -> int:
    """Ground every record in *paths* under *mode*; returns the exit code."""
    wrong = read = 0
    bad: list[Quarantined] = []

    async def drive() -> None:
        nonlocal wrong, read
        async for item in _records(paths):
            try:
                record = _record(item)
                verdicts = _figures(record, mode)
            except RecordError as error:
                bad.append(Quarantined("file", item.position, error.cause, error.message, error.hint, 0, ""))
                continue
            read += 1
            wrong += any(figure.grounded is False for figure in verdicts)
            if as_json:
                output.json_line({"id": record["id"], "figures": [_plain(figure) for figure in verdicts]})
            else:
                _show(record, verdicts)

    asyncio.run(drive())
    output.quarantine(bad, len(bad), every=every)
    if read > 1 and not as_json:
        print(f"\n{wrong} of {read} answers have a figure that is wrong, marked [!…]")
    if not read:
        output.note("error: no record of question, evidence and answer could be read")
        output.note(
            'hint:  a line is {"id", "question", "evidence": [{"kind": "table", "columns", "rows"}, …], "answer"}; '
            "for recorded conversations use monitor evaluate"
        )
        return 2
    return 1 if wrong else 0


async def _records(paths: Sequence[str]) -> AsyncIterator[Any]:
    limits = LimitsConfig()
    source = FileSource.of(paths)
    async for batch in source.batches(None, records=64, record_bytes=limits.record_bytes, stop=asyncio.Event()):
        for item in batch.items:
            yield item


def _record(item: Any) -> dict[str, Any]:
    if not isinstance(item, Raw):
        raise item.error
    data = parse(item.data) if isinstance(item.data, bytes) else item.data
    if not isinstance(data, dict) or not isinstance(data.get("answer"), str):
        raise RecordError("invalid", "no answer in the record", hint="recorded conversations go to monitor evaluate")
    evidence = data.get("evidence", [])
    if not isinstance(evidence, list) or not all(isinstance(each, dict) for each in evidence):
        raise RecordError("invalid", "evidence is no list of objects")
    return {**data, "id": data.get("id", item.position), "evidence": evidence}


def _plain(figure: FigureVerdict) -> dict[str, Any]:
    return figure.model_dump(mode="json", exclude={name for name in _OPTIONAL if getattr(figure, name) is None})


def _figures(record: dict[str, Any], mode: Mode) -> list[FigureVerdict]:
    question = record.get("question") if isinstance(record.get("question"), str) else ""
    try:
        return ground(record["answer"], evidence_of_record(question or "", record["evidence"]), question or "", mode)
    except TooLarge as bound:
        raise RecordError("too_large", bound.message) from None
    except ValueError as error:
        raise RecordError("invalid", printable(f"evidence: {error}", 200)) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise RecordError("invalid", f"evidence of a wrong shape: {type(error).__name__}") from None


def _show(record: dict[str, Any], verdicts: list[FigureVerdict]) -> None:
    print()
    output.sentence(output.styled(printable(str(record["id"]), 200), "bold"))
    figures.show_answer(record["answer"], verdicts)
    if verdicts:
        figures.show_figures(verdicts)
    else:
        output.sentence("no figures", indent=2)
