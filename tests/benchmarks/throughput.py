"""
What the main job costs: microseconds of CPU per conversation, stage by stage, and memory.

``make bench`` runs it. Everything is measured in one run on one core, on generated conversations (see ``generate``);
the last column is the ratio to reading lines and ``orjson.loads`` of the same bytes, which holds on any machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from monitor import log
from monitor.checks.grounded import Grounded
from monitor.checks.refusal_explained import RefusalExplained
from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation, revision
from monitor.decision import decide
from monitor.formats import Record, formats
from monitor.jsonio import parse
from monitor.metrics import Metrics
from monitor.outcome import Evaluation
from monitor.process import tune_collector
from monitor.redact import Redaction, Redactor
from monitor.rules import load_rules
from monitor.sampling import keep, position
from monitor.sinks.telemetry import TelemetrySink
from monitor.store import Commit, Store, TurnRow
from tests.benchmarks.generate import conversations


def cpu(work: Callable[[], Any], repeats: int = 3) -> float:
    """The least seconds of process CPU that *work* took in *repeats* runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def drain(items: Iterable[Any]) -> None:
    """Make every item and keep none, as a stream does."""
    deque(items, maxlen=0)


class Stages:
    """Each stage over the same conversations, its input prepared by the one before."""

    def __init__(self, count: int, folder: Path) -> None:
        self.count, self.folder = count, folder
        self.file = folder / "bench.jsonl"
        with self.file.open("wb") as out:
            out.writelines(conversations(count))
        self.lines = self.file.read_bytes().splitlines()
        self.rules = load_rules()
        self.native = formats.get("native")()
        self.redactor = Redactor(Redaction())
        self.records = [parse(line) for line in self.lines]
        self.read: list[Conversation] = list(self.joined())
        self.evaluations = [e for c in self.read for e in self.evaluate(c)]

    def joined(self) -> Iterator[Conversation]:
        for record in self.records:
            fragments = self.native.fragments(Record(record))
            yield self.native.conversation(fragments[0].group, fragments)

    def evaluate(self, conversation: Conversation) -> list[Evaluation]:
        return [d.evaluation for d in asyncio.run(decide(conversation, self.rules)) if d.evaluation]

    def turns(self) -> Iterator[tuple[Any, Conversation]]:
        for conversation in self.read:
            for index, turn in enumerate(conversation.turns):
                yield turn, conversation.model_copy(update={"turns": conversation.turns[:index]})

    def measure(self) -> list[tuple[str, float]]:
        """(stage, microseconds of CPU per conversation)."""
        out: list[tuple[str, float]] = []

        def stage(name: str, work: Callable[[], Any], repeats: int = 3) -> None:
            out.append((name, cpu(work, repeats) / self.count * 1e6))

        stage("read lines", lambda: drain(line.strip() for line in self.file.open("rb")))
        stage("orjson.loads", lambda: drain(map(orjson.loads, self.lines)))
        stage("parse (with bounds)", lambda: drain(map(parse, self.lines)))
        stage("redact", lambda: drain(map(self.redactor.record, self.records, self.lines)))
        stage("format", lambda: drain(self.joined()))
        stage("revision", self._revisions)
        stage("sampling", lambda: drain(keep(position(c.id), 0.5) for c in self.read))
        grounded, refusal = Grounded(), RefusalExplained()
        pairs = list(self.turns())
        stage("grounded", lambda: drain(grounded.run(turn, context) for turn, context in pairs))
        stage("refusal_explained", lambda: drain(refusal.run(turn, context) for turn, context in pairs))
        stage("SQL parsing alone", self._sql, 1)
        stage("metrics", self._metrics)
        stage("telemetry (events + spans)", self._telemetry, 1)
        stage("store", self._store, 1)
        return out

    def _revisions(self) -> None:
        for conversation in self.read:
            earlier: list[str] = []
            for turn in conversation.turns:
                earlier.append(revision(turn, earlier))

    def _sql(self) -> None:
        import sqlglot

        for record in self.records:
            for turn in record["turns"]:
                for query in turn.get("queries", ()):
                    if query.get("sql"):
                        sqlglot.parse_one(query["sql"], read="bigquery")

    def _metrics(self) -> None:
        metrics = Metrics()
        for evaluation in self.evaluations:
            for outcome in evaluation.outcomes:
                metrics.outcome(outcome, 0.001)

    def _telemetry(self) -> None:
        from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
        from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
        from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
        from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

        from monitor.telemetry import connect

        class Logs(LogRecordExporter):
            def export(self, batch: Any) -> Any:
                encode_logs(batch).SerializeToString()
                return LogRecordExportResult.SUCCESS

            def shutdown(self) -> None: ...

            def force_flush(self, timeout_millis: int = 0) -> bool:
                return True

        class Spans(SpanExporter):
            def export(self, spans: Any) -> Any:
                encode_spans(spans).SerializeToString()
                return SpanExportResult.SUCCESS

        telemetry = connect([Logs()], [Spans()])
        sink = TelemetrySink(telemetry)
        for number, evaluation in enumerate(self.evaluations):
            sink.emit(evaluation, "default")
            if number % 500 == 499:
                telemetry.flush(30)
        telemetry.flush(30)
        telemetry.shutdown(30)

    def _store(self) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            store = Store.open(f"sqlite:///{folder}/bench.db")
            for start in range(0, len(self.evaluations), 256):
                batch = self.evaluations[start : start + 256]
                rows = [TurnRow(e.conversation_id, e.turn.id, e.revision, "complete", "evaluated") for e in batch]
                outcomes = [outcome for e in batch for outcome in e.outcomes]
                store.commit(
                    Commit("bench", {"at": start}, {"read": 256, "parsed": 256}, turns=rows, outcomes=outcomes)
                )
            store.close()


def whole(count: int, folder: Path) -> tuple[float, float]:
    """(µs of CPU per conversation, conversations a second) of the daemon over a file; imports and start aside, no OTLP."""
    from monitor.daemon import serve

    spent = []
    for number in (1, count):
        file = folder / f"whole-{number}.jsonl"
        with file.open("wb") as out:
            out.writelines(conversations(number))
        config = Config.model_validate(
            {
                "sources": [SourceConfig(name="bench", type="file", format="native", path=str(file))],
                "state": {"url": f"sqlite:///{folder}/whole-{number}.db"},
                "telemetry": {"metrics_port": 0},
            }
        )
        started, wall = time.process_time(), time.perf_counter()
        asyncio.run(serve(config, load_rules()))
        spent.append((time.process_time() - started, time.perf_counter() - wall))
    return spent[1][0] / count * 1e6, count / spent[1][1]


_COMMAND = """
import sys
from monitor.cli import main
try:
    main(["evaluate", sys.argv[1], "--format", "native", "--json"])
except SystemExit:
    pass
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


def command(count: int, folder: Path) -> tuple[float, float]:
    """
    (seconds of CPU, peak MB) of ``monitor evaluate`` over *count* conversations, as a process of its own.

    The peak is what the process says itself: the system's own figure for a child includes its parent at the fork.
    """
    file = folder / f"memory-{count}.jsonl"
    with file.open("wb") as out:
        out.writelines(conversations(count))
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        child = subprocess.Popen([sys.executable, "-c", _COMMAND, str(file)], stdout=out, stderr=err)
        _, _, usage = os.wait4(child.pid, 0)
    file.unlink()
    peak = (folder / "err").read_text().rsplit("VmHWM:", 1)[1].split()[0]
    return usage.ru_utime + usage.ru_stime, int(peak) / 1024


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=2000, help="conversations a stage is measured over")
    options.add_argument("--memory", type=int, nargs=2, default=(10_000, 100_000), help="conversations for peak memory")
    options.add_argument("--quick", action="store_true", help="leave memory out")
    chosen = options.parse_args()
    log.setup("warning")
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as name:
        folder = Path(name)
        stages = Stages(chosen.count, folder)
        size = sum(map(len, stages.lines)) / chosen.count
        print(f"{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} cores; "
              f"{chosen.count} conversations, {size / 1000:.1f} KB and "
              f"{len(stages.evaluations) / chosen.count:.1f} evaluated turns each\n")  # fmt: skip
        tune_collector()  # as the commands do; what the benchmark itself holds is left out of every collection
        measured = stages.measure()
        base = measured[0][1] + measured[1][1]
        print(f"{'stage':32} {'µs CPU':>9} {'× read + loads':>15}")
        for stage, micros in measured:
            print(f"{stage:32} {micros:9.1f} {micros / base:15.2f}")
        micros, rate = whole(chosen.count, folder)
        print(f"{'the whole: monitor run':32} {micros:9.1f} {micros / base:15.2f}   {rate:.0f} conversations a second")
        seconds, _ = command(1, folder)
        print(f"\nmonitor evaluate, ready and done with one conversation: {seconds:.2f} s of CPU")
        if not chosen.quick:
            few, many = chosen.memory
            peaks = {number: command(number, folder) for number in (few, many)}
            for number, (used, peak) in peaks.items():
                print(
                    f"monitor evaluate, {number} conversations: {used / number * 1e6:.0f} µs of CPU each, peak {peak:.0f} MB"
                )
            print(f"peak memory, {many} to {few}: {peaks[many][1] / peaks[few][1]:.2f}")


if __name__ == "__main__":
    main()
