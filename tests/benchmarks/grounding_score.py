"""
Score the grounded check's figures against labels: counts for each group of records, measures, and how sure they are.

Positive is an ungrounded figure. A labelled figure is flagged where a flagged span overlaps it; a flagged span of
``not_figures`` is a false flag; a label of null is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from monitor.outcome import FigureVerdict

RESAMPLES = 2000
SEED = 20260901
KEYS = {"quintd": "consensus"}
"""The label of a figure, where it is not ``ungrounded``: of several annotators, what they agree on."""


@dataclass(slots=True)
class Tally:
    """
    What was counted: figures by label and flag, labels left out, figures found, undecided ones, flags, records.

    *answer_…*: the same for whole answers, for which one flag is enough. *wrongly*: flags that a reader of an unlabelled
    set found, or must suppose, to be wrong.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0
    skipped: int = 0
    figures: int = 0
    undecided: int = 0
    flags: int = 0
    wrongly: int = 0
    records: int = 0
    answer_tp: int = 0
    answer_fp: int = 0
    answer_fn: int = 0
    answer_tn: int = 0

    def row(self) -> list[int]:
        """The counts, in the order of the fields."""
        return [getattr(self, name) for name in NAMES]

    def add(self, other: Tally) -> None:
        """Count what *other* counted too."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))


NAMES = tuple(field.name for field in fields(Tally))
Columns: TypeAlias = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Error:
    """A label that the check missed, or a true figure that it flagged (*false_flag*), and what it said there."""

    set: str
    record: dict[str, Any]
    label: dict[str, Any]
    verdict: FigureVerdict | None
    false_flag: bool


def overlapping(verdicts: Iterable[FigureVerdict], label: dict[str, Any]) -> list[FigureVerdict]:
    """The verdicts whose span shares a character with the label's."""
    return [verdict for verdict in verdicts if verdict.start < label["end"] and label["start"] < verdict.end]


def score(name: str, record: dict[str, Any], verdicts: Sequence[FigureVerdict]) -> tuple[Tally, list[Error]]:
    """What *verdicts* are worth on one *record* of the set *name*, and where they are wrong."""
    flagged = [verdict for verdict in verdicts if verdict.grounded is False]
    tally = Tally(
        records=1,
        figures=len(verdicts),
        undecided=sum(verdict.grounded is None for verdict in verdicts),
        flags=len(flagged),
    )
    errors = []
    labels, key = record["labels"], KEYS.get(name, "ungrounded")
    for label in labels.get("figures", []):
        wrong = label.get(key)
        if wrong is None:
            tally.skipped += 1
            continue
        hits = overlapping(flagged, label)
        if wrong:
            tally.tp += bool(hits)
            tally.fn += not hits
        else:
            tally.fp += bool(hits)
            tally.tn += not hits
        if bool(hits) != bool(wrong):
            said = hits or overlapping(verdicts, label)
            errors.append(Error(name, record, label, said[0] if said else None, bool(hits)))
    for label in labels.get("not_figures", []):
        hits = overlapping(flagged, label)
        tally.fp += bool(hits)
        tally.tn += not hits
        if hits:
            errors.append(Error(name, record, label, hits[0], True))
    _answer(tally, labels.get("grounded"))
    return tally, errors


def _answer(tally: Tally, grounded: bool | None) -> None:
    if grounded is None:
        return
    tally.answer_tp = int(not grounded and tally.flags > 0)
    tally.answer_fn = int(not grounded and not tally.flags)
    tally.answer_fp = int(grounded and tally.flags > 0)
    tally.answer_tn = int(grounded and not tally.flags)


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return part / whole


def _f1(tp: NDArray[np.float64], fp: NDArray[np.float64], fn: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(tp + fn > 0, _share(2 * tp, 2 * tp + fp + fn), np.nan)


MEASURES: dict[str, Callable[[Columns], NDArray[np.float64]]] = {
    "precision": lambda c: np.where(c["tp"] + c["fn"] > 0, _share(c["tp"], c["tp"] + c["fp"]), np.nan),
    "recall": lambda c: _share(c["tp"], c["tp"] + c["fn"]),
    "f1": lambda c: _f1(c["tp"], c["fp"], c["fn"]),
    "flagged_true": lambda c: _share(c["fp"], c["fp"] + c["tn"]),
    "flagged_wrongly": lambda c: _share(c["wrongly"], c["figures"]),
    "answer_f1": lambda c: _f1(c["answer_tp"], c["answer_fp"], c["answer_fn"]),
}
"""Each measure of many samples at once; nan where nothing was there to find (precision, recall, F1) or to count."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure's value and its 95 % interval; nan when there was nothing to measure."""

    value: float
    low: float
    high: float


def measure(groups: Sequence[Tally], *, resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Measured]:
    """
    Every measure over all *groups*, with the interval that drawing as many groups with replacement gives.

    A group holds the records about one document: they are not independent, so they are drawn together.
    """
    counts = np.array([group.row() for group in groups], dtype=np.float64).reshape(len(groups), len(NAMES))
    drawn = np.random.default_rng(seed).multinomial(len(groups), np.full(len(groups), 1 / len(groups)), size=resamples)
    whole, samples = _columns(counts.sum(axis=0, keepdims=True)), _columns(drawn @ counts)
    out = {}
    for name, formula in MEASURES.items():
        values = formula(samples)
        values = values[~np.isnan(values)]
        low, high = np.percentile(values, (2.5, 97.5)) if len(values) else (np.nan, np.nan)
        out[name] = Measured(float(formula(whole)[0]), float(low), float(high))
    return out


def _columns(counts: NDArray[np.float64]) -> Columns:
    return dict(zip(NAMES, counts.T, strict=True))
