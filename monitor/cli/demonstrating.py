"""How the demo sets itself up, runs the daemon once, and tells a newcomer what happened."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from monitor import demo, log
from monitor.cli import output, reporting
from monitor.config import Config, Origin, SourceConfig, StateConfig, TelemetryConfig
from monitor.daemon import serve
from monitor.estimates import estimate
from monitor.outcome import Outcome
from monitor.rules import load_rules
from monitor.store import Store

_STYLES = {"fail": "bold red", "not_evaluable": "yellow", "error": "bold magenta"}


async def run(*, once: bool, as_json: bool, folder: Path | None, port: int) -> int:
    """Run the demo; returns the exit code: 0, wrong answers among the recordings are what it is about."""
    log.setup("warning")
    with _state(folder) as state:
        url = f"sqlite:///{state / 'monitor.db'}"
        config = Config(
            sources=tuple(_sources()),
            state=StateConfig(url=url),
            telemetry=TelemetryConfig(metrics_port=None if once else port),
        )
        await serve(config, load_rules(None), stay=False)
        with Store.open(url, must_exist=True) as store:
            outcomes = sorted(store.scores(), key=lambda outcome: outcome.conversation_id)
            explained = {o.result_id: o for o in _with_texts(store, outcomes)}
            _report(store, [explained.get(o.result_id, o) for o in outcomes], as_json=as_json)
        if not once:
            await _stay(config)
    return 0


def _sources() -> Iterator[SourceConfig]:
    """One source a recording, with the scope that its records do not carry."""
    for file in sorted(demo.recordings().glob("*.jsonl")):
        scope = {} if file.stem == "native" else {"team": "operations", "environment": "production"}
        source = SourceConfig(name=file.stem, type="file", path=str(file), scope=scope)
        source._origin = Origin()
        yield source


@contextlib.contextmanager
def _state(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="monitor-demo-") as temporary:
        yield Path(temporary)


def _with_texts(store: Store, outcomes: list[Outcome]) -> Iterator[Outcome]:
    for conversation_id in dict.fromkeys(outcome.conversation_id for outcome in outcomes):
        for stored in store.evaluations(conversation_id):
            yield from stored.outcomes


def _report(store: Store, outcomes: list[Outcome], *, as_json: bool) -> None:
    status = store.status()
    turns: Counter[str] = Counter()
    for ledger in status.ledger.sources.values():
        turns.update(ledger.turns)
    labels = Counter(outcome.label for outcome in outcomes)
    failed = {(o.conversation_id, o.turn_id) for o in outcomes if o.label == "fail"}
    counts = {
        "turns": turns["seen"],
        "evaluated": turns["evaluated"],
        "passed": labels["pass"],
        "failed": labels["fail"],
        "not_applicable": labels["not_applicable"],
        "not_evaluable": labels["not_evaluable"],
        "errors": labels["error"],
        "turns_failed": len(failed),
        "review_items": sum(n for severities in status.review_open.values() for n in severities.values()),
        "balanced": status.ledger.balanced,
    }
    if as_json:
        for outcome in outcomes:
            output.json_line(outcome.record())
        output.json_line(counts)
        return
    print(
        f"{counts['turns']} recorded turns of an imaginary flights agent, in {len(status.ledger.sources)} formats, were "
        f"checked by {len(status.outcomes)} rules.\n"
    )
    rows = [
        [
            output.styled(o.label, _STYLES.get(o.label, "")),
            o.rule,
            f"{o.conversation_id} {o.turn_id}",
            o.explanation,
        ]
        for o in outcomes
        if o.label in _STYLES
    ]
    output.table("what went wrong, and why", ["label", "rule", "conversation and turn", "why"], rows, below=3)
    print()
    reporting.show_rates(status, {rule: estimate(store.observations(rule)) for rule in sorted(status.outcomes)})
    print()
    reporting.show_ledgers(status)
    print(
        f"{counts['turns_failed']} of {counts['evaluated']} turns have an answer that is wrong. "
        f"{output.counted(counts['review_items'], 'outcome')} wait for a person:\n"
        "the fails, and a random control share of the passes, to find what the rules miss.\n\n"
        "Where to look next:\n"
        f"  monitor explain demo-carriers --in {demo.recordings() / 'native.jsonl'}\n"
        "                                   one conversation, figure by figure\n"
        "  monitor evaluate FILE            the same rules over your own recordings (README: formats)\n"
        "  rules/checks/*.yaml              what is checked; monitor test runs the cases beside each rule"
    )


async def _stay(config: Config) -> None:
    """Serve /metrics until a signal, from the finished state."""

    def started(port: int | None) -> None:
        output.note(
            f"\nserving http://{config.telemetry.metrics_host}:{port}/metrics, /healthz, /readyz; Ctrl-C ends it"
        )

    await serve(config, load_rules(None), stay=True, started=started)
