"""How ``evaluate`` prints: outcomes as they come, then the counts."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from monitor.batchrun import BatchRun, Totals
from monitor.cli import output
from monitor.cli.nothing import BECAME, Unmatched, why_nothing
from monitor.config import Config, Origin, SourceConfig, load_config
from monitor.estimates import RunningEstimate
from monitor.outcome import LABELS, Outcome
from monitor.rules import load_rules
from monitor.sources.file import FileSource

_STYLES = {"pass": "green", "fail": "bold red", "error": "bold magenta", "not_evaluable": "yellow"}


def run(
    paths: Sequence[str],
    *,
    config: Path | None,
    rules: Path | None,
    as_format: str,
    source: str | None,
    sampled: bool,
    as_json: bool,
    every: bool,
) -> int:
    """Evaluate what *paths* name; returns the exit code."""
    settings = load_config(config)
    chosen = load_rules(rules or settings.rules)
    read_as = source_for(settings, as_format, source)
    pass_ = BatchRun(settings, read_as, chosen, sampled=sampled, reader=FileSource.of(paths))
    counts: Counter[tuple[str, str]] = Counter()
    rates = {rule.name: RunningEstimate() for rule in chosen}
    unmatched = Unmatched(chosen, read_as.name)

    async def drive() -> None:
        with _progress(as_json) as advance:
            async for conversation, decided in pass_.conversations():
                advance(len(decided))
                unmatched.look(conversation.scope)
                for item in decided:
                    for outcome in item.evaluation.outcomes if item.evaluation else ():
                        counts[outcome.rule, outcome.label] += 1
                        if outcome.label in ("pass", "fail"):
                            rates[outcome.rule].add(conversation.id, outcome.label == "fail", outcome.weight)
                        _show(outcome, as_json, every)
                for running in rates.values():
                    running.close(conversation.id)

    asyncio.run(drive())
    totals = pass_.totals
    output.quarantine(totals.quarantined, totals.records["quarantined"], every=every)
    if totals.turns["evaluated"] and not as_json:
        _summary(counts, rates)
    output.note(output.ledger_line("records", totals.records, "read", ("parsed", "ignored", "quarantined")))
    output.note(
        output.ledger_line("turns", totals.turns, "seen", tuple(BECAME), BECAME)
        + (f"; {totals.repeated} recorded again" if totals.repeated else "")
    )
    if not totals.records["parsed"] and not totals.records["ignored"]:
        return _nothing_read(totals)
    for reason in [*why_nothing(totals), *(unmatched.reasons() if totals.turns["seen"] else ())]:
        output.note(reason)
    return 1 if any(label == "fail" for _, label in counts) else 0


def source_for(settings: Config, as_format: str, like: str | None) -> SourceConfig:
    """How files are read: with the format, scope and namespace of the source *like*, else with nothing said."""
    given = settings.source(like) if like else SourceConfig(name="file", type="file")
    chosen = given.format if as_format == "auto" else as_format
    made = SourceConfig(name=given.name, type="file", format=chosen, scope=given.scope, namespace=given.namespace)
    made._origin = given._origin if like else Origin(errors=settings.errors)
    return made


def _nothing_read(totals: Totals) -> int:
    if not totals.records["read"]:
        output.note("error: there is no record in there")
        output.note("hint:  check that something was recorded: what is empty has nothing to check")
        return 2
    output.note("error: nothing in there could be read")
    output.note("hint:  see the causes above; set --format when the format is known, or use the mapping format")
    return 2


def _show(outcome: Outcome, as_json: bool, every: bool) -> None:
    if as_json:
        output.json_line(outcome.record())
        return
    if outcome.label in ("pass", "not_applicable") and not every:
        return
    place = f"{outcome.conversation_id} {outcome.turn_id}"
    what = outcome.label + (f" ({outcome.cause or outcome.error_type})" if outcome.cause or outcome.error_type else "")
    line = output.styled(f"{what}  ", _STYLES.get(outcome.label, "dim"))
    output.sentence(line.append_text(output.styled(f"{outcome.rule}  {place}", "bold")))
    output.sentence(outcome.explanation, indent=2)


def _summary(counts: Counter[tuple[str, str]], rates: dict[str, RunningEstimate]) -> None:
    rows = []
    for rule, running in rates.items():
        rate = running.estimate()
        span = f"{output.percent(rate.low)} to {output.percent(rate.high)}" if rate.rate is not None else ""
        rows.append([rule, *(counts[rule, label] for label in LABELS), output.percent(rate.rate), span])
    print()
    output.table("", ["rule", *LABELS, "failing", "95 % interval"], rows, right=range(1, 8), drop=(7,))


def _progress(as_json: bool):  # type: ignore[no-untyped-def]  # a context manager of rich or of nothing
    from contextlib import contextmanager

    @contextmanager
    def quiet():  # type: ignore[no-untyped-def]
        yield lambda _: None

    @contextmanager
    def bar():  # type: ignore[no-untyped-def]
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.completed} turns"), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("", total=None)
            yield lambda number: progress.advance(task, number)

    return bar() if sys.stderr.isatty() and sys.stdout.isatty() and not as_json else quiet()
