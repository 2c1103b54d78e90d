"""
How good the grounded check is on labelled answers, in its one configuration, held against floors.

    python -m tests.benchmarks.grounding [SET ...] [--raise]

``make bench-grounding`` runs it. The own sets are ``data/<set>.jsonl`` beside this file and are always there; ``own``
names all of them. The others are ``<set>.dev.jsonl`` in GROUNDING_DATA, or in ``../shared/grounding/data`` beside the
repository; without such a folder the own sets alone are measured. All sets together renew ``grounding.md``. Floors are
under the measures that have an aim, and under two of each own set. Exit codes: 0; 1 when a measure is below its floor or
the data's own scorer disagrees; 2 when a set or folder that was named is not there.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Any

import orjson

from monitor.checks.grounded.evidence.gather import evidence_of_record
from monitor.checks.grounded.verdict import ground
from monitor.errors import TooLarge
from monitor.outcome import FigureVerdict
from monitor.process import tune_collector
from tests.benchmarks import grounding_floors as floors
from tests.benchmarks import grounding_page as page
from tests.benchmarks.grounding_kinds import largest
from tests.benchmarks.grounding_score import KEYS, MEASURES, Error, Measured, Tally, measure, score

ROOT = Path(__file__).resolve().parents[2]
FLOORS = Path(__file__).with_name("grounding-floors.json")
FLAGS = Path(__file__).with_name("tau_flags.tsv")
SUFFIX = ".dev.jsonl"
OWN_DATA = Path(__file__).with_name("data")
OWN = tuple(page.FRESH)
DEV = (
    "bi",
    "accuracy_shared_task",
    "tabfact_pairs",
    "tatqa",
    "fetaqa",
    "hitab_linked",
    "quintd",
    "scitab",
    "tau_airline_unlabelled",
)
SETS = (*DEV, *OWN)
UNLABELLED = "tau_airline_unlabelled"
Judged = dict[str, list[tuple[int, int, bool]]]


def judgments(path: Path) -> Judged:
    """For each record the flags that were read: (start, end, whether the flag is right)."""
    out: Judged = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        record, start, end, said = line.split("\t")[:4]
        if said not in ("right", "wrong"):
            raise ValueError(f"{path.name}: {record} {start}: say right or wrong, not {said!r}")
        out.setdefault(record, []).append((int(start), int(end), said == "right"))
    return out


def doubtful(verdicts: list[FigureVerdict], read: list[tuple[int, int, bool]]) -> tuple[int, list[FigureVerdict]]:
    """(how many flags are not known to be right, those of them that nobody read): an unread flag counts as wrong."""
    wrong, unread = 0, []
    for verdict in verdicts:
        if verdict.grounded is False:
            said = [right for start, end, right in read if start < verdict.end and verdict.start < end]
            wrong += not any(said)
            if not said:
                unread.append(verdict)
    return wrong, unread


def verdicts_of(record: dict[str, Any]) -> tuple[list[FigureVerdict], bool]:
    """(the verdicts on the figures of a record's answer, whether it was too large to look at)."""
    question = record.get("question") or ""
    try:
        return ground(record["answer"], evidence_of_record(question, record["evidence"]), question), False
    except TooLarge:
        return [], True


class Run:
    """One set, grounded and scored."""

    def __init__(self, name: str, path: Path, read: Judged) -> None:
        self.name, self.path = name, path
        self.predictions: list[bytes] = []
        self.errors: list[Error] = []
        self.unread: list[str] = []
        groups: dict[str, Tally] = {}
        seconds, large = 0.0, 0
        tune_collector()
        for record in _records(path):
            started = time.process_time()
            verdicts, beyond = verdicts_of(record)
            seconds += time.process_time() - started
            large += beyond
            tally, errors = score(name, record, verdicts)
            if name == UNLABELLED:
                tally.wrongly, unread = doubtful(verdicts, read.get(record["id"], []))
                self.unread += [f"{record['id']} {flag.start} {flag.end}" for flag in unread]
            self.errors += errors
            groups.setdefault(str(record.get("group") or record["id"]), Tally()).add(tally)
            figures = [verdict.model_dump() for verdict in verdicts]
            self.predictions.append(orjson.dumps({"id": record["id"], "figures": figures}, default=str))
        total = Tally()
        for group in groups.values():
            total.add(group)
        measured = measure(list(groups.values()))
        if name != UNLABELLED:
            measured["flagged_wrongly"] = Measured(float("nan"), float("nan"), float("nan"))
        self.result = page.Result(name, total, len(groups), measured, 1e3 * seconds / max(1, total.records), large)

    def disagreement(self, scorer: Path) -> str:
        """What the data's own *scorer* counts otherwise; "" when it agrees."""
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(b"\n".join(self.predictions))
            file.flush()
            told = subprocess.run(
                [sys.executable, str(scorer), str(self.path), file.name, "--json",
                 *(["--consensus"] if self.name in KEYS else [])],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        if told.returncode:
            return f"{self.name}: {scorer.name} stopped: {told.stderr.strip()[-200:]}"
        theirs: dict[str, float] = {name: value or 0 for name, value in orjson.loads(_finite(told.stdout)).items()}
        ours: dict[str, float] = asdict(self.result.tally)
        for name in ("figures", "flags", "records", "wrongly"):
            del ours[name]
        for name in ("precision", "recall", "f1"):
            if not isnan(value := self.result.measured[name].value):
                ours[name] = value
        different = [
            f"{name} {value:g}, not {theirs.get(name, 0):g}"
            for name, value in ours.items()
            if abs(value - theirs.get(name, 0)) > 1e-9
        ]
        return f"{self.name}: {scorer.name} counts otherwise: {'; '.join(different)}" if different else ""


def _finite(text: str) -> str:
    """JSON as Python writes it, with null for what is no number."""
    return text.replace("NaN", "null")


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)


def line(result: page.Result) -> str:
    """One set's measures for a terminal."""
    tally = result.tally
    values = " ".join(f"{name} {result.measured[name].value:.3f}" for name in MEASURES)
    counts = f"tp {tally.tp} fp {tally.fp} fn {tally.fn} figures {tally.figures} undecided {tally.undecided}"
    large = f" too large {result.too_large}" if result.too_large else ""
    return f"{result.name:<23}{result.milliseconds:6.2f} ms a record  {values}  {counts}{large}".replace(" nan", " –")


def file_of(name: str, data: Path) -> Path:
    """Where the set *name* is: with the benchmark if it is an own one, else in the folder *data*."""
    return OWN_DATA / f"{name}.jsonl" if name in OWN else data / (name + SUFFIX)


def wanted(named: Sequence[str], data: Path) -> tuple[str, ...]:
    """The sets to measure: those *named*, ``own`` for all own ones; by default all that can be had."""
    if named:
        return tuple(dict.fromkeys(one for name in named for one in (OWN if name == "own" else (name,))))
    if data.is_dir():
        return SETS
    print(f"no folder {data}: the own sets alone are measured; GROUNDING_DATA=folder says where *{SUFFIX} files are")
    return OWN


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, renew the page when all sets were measured, and hold the measures against their floors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"own, or some of {', '.join(SETS)}; by default all")
    parser.add_argument("--raise", action="store_true", dest="raising", help="raise floors to what is measured")
    parser.add_argument("--predictions", type=Path, metavar="FOLDER", help="write what was said of every figure there")
    options = parser.parse_args(arguments)
    named = os.environ.get("GROUNDING_DATA")
    data = Path(named) if named else ROOT.parent / "shared" / "grounding" / "data"
    if named and not data.is_dir():
        print(f"GROUNDING_DATA: {data} is no folder")
        return 2
    sets = wanted(options.sets, data)
    missing = [name for name in sets if not file_of(name, data).is_file()]
    if missing and (options.sets or not {*missing}.isdisjoint(OWN) or {*missing} >= {*DEV}):
        print(f"not there: {', '.join(str(file_of(name, data)) for name in missing)}")
        print(f"GROUNDING_DATA=folder says where *{SUFFIX} files are; the sets that come along: {', '.join(OWN)}")
        return 2
    read = judgments(FLAGS)
    runs = []
    for name in sets:
        if name not in missing:
            runs.append(Run(name, file_of(name, data), read))
            print(line(runs[-1].result), flush=True)
            for flag in runs[-1].unread:
                print(f"  not in {FLAGS.name}: {flag}")
            if options.predictions:
                options.predictions.mkdir(parents=True, exist_ok=True)
                (options.predictions / f"{name}.jsonl").write_bytes(b"\n".join(runs[-1].predictions) + b"\n")
    if len(runs) == len(SETS) and not options.sets:
        _renew(runs)
    return _judge(runs, data.parent / "score.py", missing, raising=options.raising)


def _renew(runs: list[Run]) -> None:
    results = {run.name: run.result for run in runs}
    errors = [error for run in runs for error in run.errors]
    unlabelled = results[UNLABELLED].tally
    text = page.PAGE.read_text(encoding="utf-8") if page.PAGE.exists() else "# Grounded: how good\n"
    flags = (
        f"`{UNLABELLED}`: {unlabelled.figures} figures, {unlabelled.flags} flagged; by `{FLAGS.name}`, "
        f"{unlabelled.wrongly} of the flags are wrong or were not read."
    )
    text = page.put(text, "aims", page.aims(results))
    text = page.put(text, "fresh", page.fresh(results))
    text = page.put(text, "sets", page.measures([results[name] for name in DEV]))
    text = page.put(text, "counts", [*page.counts(results.values()), "", flags])
    text = page.put(text, "kinds", page.kinds(largest(errors), len(errors)))
    page.PAGE.write_text(text, encoding="utf-8")


def _judge(runs: list[Run], scorer: Path, missing: list[str], *, raising: bool) -> int:
    wrong = [said for run in runs if (said := run.disagreement(scorer))] if scorer.is_file() else []
    if scorer.is_file() and not wrong:
        print(f"{scorer.name} counts the same on all {len(runs)} sets")
    known = floors.read(FLOORS)
    measured: dict[str, dict[str, float]] = {run.name: {} for run in runs}
    for run in runs:
        for measure_name in page.held(run.name):
            measured[run.name][measure_name] = run.result.measured[measure_name].value
    wrong += floors.broken(known, measured)
    wrong += [f"{name}: has floors and is not there to be measured" for name in missing if name in known]
    for said in wrong:
        print(said)
    if raising:
        floors.write(FLOORS, floors.raised(known, measured))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
