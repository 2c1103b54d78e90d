"""What measures the grounded check can itself be trusted: scores, intervals, floors, the page and the exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from monitor.outcome import FigureVerdict
from tests.benchmarks import grounding, grounding_floors, grounding_page
from tests.benchmarks.grounding_kinds import example, largest
from tests.benchmarks.grounding_score import Error, Tally, measure, score

ANSWER = "Aurora had 12 flights, Cloudline 9 and Norwind 7; see note 3."


def record(**labels: Any) -> dict[str, Any]:
    """An answer with four labelled figures, one of them wrong and one that nobody decided, and a note's number."""
    figures = [
        {"start": 11, "end": 13, "text": "12", "ungrounded": False},
        {"start": 33, "end": 34, "text": "9", "ungrounded": True},
        {"start": 47, "end": 48, "text": "7", "ungrounded": None},
    ]
    notes = [{"start": 59, "end": 60, "text": "3"}]
    evidence = [{"kind": "table", "columns": ["carrier", "flights"], "rows": [["Aurora", 12], ["Cloudline", 8]]}]
    return {
        "id": "r1", "group": "g1", "licence": "CC0-1.0", "question": "", "evidence": evidence, "answer": ANSWER,
        "labels": {"grounded": False, "figures": figures, "not_figures": notes, **labels},
    }  # fmt: skip


def said(start: int, end: int, grounded: bool | None, **more: Any) -> FigureVerdict:
    return FigureVerdict(start=start, end=end, text=ANSWER[start:end], grounded=grounded, **more)


def errors_of(licence: str) -> list[Error]:
    verdicts = [said(11, 21, False, explanation="found in no result"), said(33, 34, True, source={"kind": "count"})]
    return score("bi", {**record(), "licence": licence}, verdicts)[1]


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One development set and all own sets, of one record that the check gets right; page, floors and judgments are the test's."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "bi.dev.jsonl").write_bytes(orjson.dumps(record()) + b"\n")
    own = tmp_path / "own"
    own.mkdir()
    for name in grounding.OWN:
        (own / f"{name}.jsonl").write_bytes(orjson.dumps(record()) + b"\n")
    monkeypatch.setattr(grounding, "OWN_DATA", own)
    monkeypatch.setenv("GROUNDING_DATA", str(folder))
    monkeypatch.setattr(grounding, "FLOORS", tmp_path / "floors.json")
    monkeypatch.setattr(grounding, "FLAGS", tmp_path / "flags.tsv")
    monkeypatch.setattr(grounding_page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(grounding, "tune_collector", lambda: None)
    monkeypatch.setattr(grounding, "verdicts_of", lambda _: ([said(11, 13, True), said(33, 34, False)], False))
    return folder


def test_labels_count_by_overlap() -> None:
    """A label is flagged where a flag shares a character with it; undecided labels do not count, notes must be left alone."""
    verdicts = [said(11, 21, False), said(33, 34, False), said(47, 48, False), said(59, 60, False), said(0, 6, None)]
    tally, errors = score("bi", record(), verdicts)
    assert (1, 2, 0, 0, 1) == (tally.tp, tally.fp, tally.fn, tally.tn, tally.skipped)
    assert (5, 4, 1, 1) == (tally.figures, tally.flags, tally.undecided, tally.answer_tp)
    assert [(11, True), (59, True)] == [(error.label["start"], error.false_flag) for error in errors]


def test_a_flag_that_only_touches_a_label_is_no_hit() -> None:
    """Spans that end where the label begins do not overlap it."""
    tally, _ = score("bi", record(), [said(28, 33, False), said(34, 38, False)])
    assert (0, 1) == (tally.tp, tally.fn)


def test_consensus_is_what_counts_where_annotators_disagree() -> None:
    """In the crowd-labelled set a figure's own label gives way to what the annotators agree on."""
    figures = [{"start": 33, "end": 34, "text": "9", "ungrounded": True, "consensus": False}]
    assert 1 == score("quintd", record(figures=figures), [said(33, 34, False)])[0].fp


def test_measures_are_of_all_groups_together() -> None:
    """Values are ratios of sums, not means of ratios."""
    measured = measure([Tally(tp=8, fp=2, fn=0, tn=10), Tally(tp=1, fp=0, fn=9, tn=8)])
    expected = {"precision": 9 / 11, "recall": 9 / 18, "f1": 18 / 29, "flagged_true": 2 / 20}
    assert expected == pytest.approx({name: measured[name].value for name in expected})


def test_intervals_are_drawn_over_groups_and_are_the_same_each_time() -> None:
    """Two unlike documents give the widest interval, however many figures they hold; alike ones give none."""
    unlike = [Tally(tp=500), Tally(fn=500)]
    assert (0.0, 1.0) == (measure(unlike)["recall"].low, measure(unlike)["recall"].high)
    assert measure(unlike, seed=3)["recall"] == measure(unlike, seed=3)["recall"]
    alike = measure([Tally(tp=3, fn=1)] * 5)["recall"]
    assert (0.75, 0.75) == (alike.low, alike.high)


def test_nothing_to_find_is_no_measure() -> None:
    """Precision, recall and F1 are not 0 and not 1 where no figure is wrong."""
    measured = measure([Tally(fp=1, tn=9)])
    assert ["nan", "nan", "nan"] == [str(measured[name].value) for name in ("precision", "recall", "f1")]
    assert pytest.approx(0.1) == measured["flagged_true"].value


def test_floors_only_rise() -> None:
    """Raising takes what is better, in either direction of better, and keeps what is worse or was not measured."""
    floors = {
        "bi": {"f1": {"at_least": 0.8}, "flagged_true": {"at_most": 0.03}},
        "tatqa": {"recall": {"at_least": 0.9}},
    }
    worse = {"bi": {"f1": 0.7, "flagged_true": 0.05}}
    better = {"bi": {"f1": 0.8459, "flagged_true": 0.0211}, "fetaqa": {"flagged_true": 0.01, "f1": float("nan")}}
    assert floors == grounding_floors.raised(floors, worse)
    assert {
        "bi": {"f1": {"at_least": 0.845}, "flagged_true": {"at_most": 0.022}},
        "tatqa": {"recall": {"at_least": 0.9}},
        "fetaqa": {"flagged_true": {"at_most": 0.01}},
    } == grounding_floors.raised(floors, better)


def test_what_is_measured_holds_the_floor_that_it_raised() -> None:
    """Rounding a floor never puts it above what was measured."""
    measured = {"bi": {"f1": 2 / 3, "flagged_true": 1 / 3, "recall": 0.58, "precision": 1.0}}
    assert [] == grounding_floors.broken(grounding_floors.raised({}, measured), measured)


def test_a_broken_floor_is_named() -> None:
    """Each measure that is worse than its floor is told with both numbers; so is one that vanished."""
    floors = {"bi": {"f1": {"at_least": 0.8}, "flagged_true": {"at_most": 0.03}, "recall": {"at_least": 0.5}}}
    told = grounding_floors.broken(floors, {"bi": {"f1": 0.79, "flagged_true": 0.04, "recall": float("nan")}})
    assert [
        "bi f1: 0.7900, its floor is at least 0.8",
        "bi flagged_true: 0.0400, its floor is at most 0.03",
        "bi recall: nothing measured, its floor is at least 0.5",
    ] == told


def test_errors_are_sorted_into_kinds() -> None:
    """A false flag and a miss are two kinds, named by what the check said and by the figure's shape."""
    kinds = largest([*errors_of("CC0-1.0"), *errors_of("CC0-1.0")[:1]])
    assert [
        ("false flag", "nothing explains it", "a small whole number", 2, (("bi", 2),)),
        ("miss", "explained by a count", "a small whole number", 1, (("bi", 1),)),
    ] == [(kind.error, kind.said, kind.figure, kind.count, kind.by_set) for kind in kinds]


def test_only_what_may_be_quoted_is_quoted() -> None:
    """An example is a phrase with its id where the licence allows that, else the id alone."""
    assert "“Aurora had **12** flights, Cloudline 9 and Norwind…” [r1, CC0-1.0]" == example(errors_of("CC0-1.0")[:1])
    assert "not quoted (licence CC-BY-SA-4.0): [r1]" == example(errors_of("CC-BY-SA-4.0")[:1])
    assert "[r1, CC0-1.0]" in example([*errors_of("CC-BY-SA-4.0"), *errors_of("CC0-1.0")])


def test_the_page_keeps_what_is_written_by_hand() -> None:
    """Only what stands between a block's markers is renewed."""
    text = grounding_page.put("# Title\n\nreading\n", "aims", ["old"])
    assert text.replace("old", "new") == grounding_page.put(text, "aims", ["new"])
    assert text.startswith("# Title\n\nreading\n")


def test_unread_flags_count_as_wrong() -> None:
    """Of an unlabelled set's flags only those are right that somebody read and found right."""
    flags = [said(11, 13, False), said(33, 34, False), said(47, 48, False), said(59, 60, True)]
    wrong, unread = grounding.doubtful(flags, [(11, 14, True), (33, 34, False)])
    assert (2, [47]) == (wrong, [flag.start for flag in unread])


def test_judgments_say_right_or_wrong(tmp_path: Path) -> None:
    """A judgment that says neither is refused rather than taken for one."""
    path = tmp_path / "flags.tsv"
    path.write_text("r1\t11\t13\tright\ta reason\n")
    assert {"r1": [(11, 13, True)]} == grounding.judgments(path)
    path.write_text("r1\t11\t13\tperhaps\ta reason\n")
    with pytest.raises(ValueError, match="say right or wrong, not 'perhaps'"):
        grounding.judgments(path)


def test_recorded_judgments_can_be_read() -> None:
    """The judgments that come with the benchmark have the form that it reads."""
    assert all(start < end for read in grounding.judgments(grounding.FLAGS).values() for start, end, _ in read)


def test_without_other_data_the_own_sets_are_measured(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """A lone repository measures its own sets, holds their floors alone and leaves the page as it is."""
    monkeypatch.delenv("GROUNDING_DATA")
    monkeypatch.setattr(grounding, "ROOT", tmp_path / "elsewhere" / "repository")
    grounding_floors.write(tmp_path / "floors.json", {"bi": {"f1": {"at_least": 0.9}}})
    assert 0 == grounding.main([])
    told = capsys.readouterr().out
    assert "GROUNDING_DATA=folder" in told
    assert list(grounding.OWN) == [line.split()[0] for line in told.splitlines() if "ms a record" in line]
    assert not grounding_page.PAGE.exists()
    grounding_floors.write(tmp_path / "floors.json", {"own_bi": {"f1": {"at_least": 1.01}}})
    assert 1 == grounding.main([])


@pytest.mark.usefixtures("data")
def test_own_names_all_own_sets(tmp_path: Path, capsys: Any) -> None:
    """One word measures what comes with the repository, also where other data is; raising puts two floors under each."""
    assert 0 == grounding.main(["own", "own_bi", "--raise"])
    assert 5 == capsys.readouterr().out.count("ms a record")
    floors = {"f1": {"at_least": 1.0}, "flagged_true": {"at_most": 0.0}}
    assert dict.fromkeys(grounding.OWN, floors) == grounding_floors.read(tmp_path / "floors.json")


def test_what_is_named_must_be_there(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set or a folder that was named and is not there ends the run, and so does an own set that is gone."""
    assert 2 == grounding.main(["tatqa"])
    (grounding.OWN_DATA / "own_bi.jsonl").unlink()
    assert 2 == grounding.main([])
    monkeypatch.setenv("GROUNDING_DATA", str(tmp_path / "nowhere"))
    assert 2 == grounding.main([])
    monkeypatch.setenv("GROUNDING_DATA", str(tmp_path))
    assert (2, 2) == (grounding.main([]), grounding.main(["bi"]))


@pytest.mark.parametrize("name", grounding.OWN)
def test_own_sets_are_well_formed(name: str) -> None:
    """Every own record is ours to give away, has an id of its own and labels that stand where they say."""
    records = [orjson.loads(line) for line in (grounding.OWN_DATA / f"{name}.jsonl").read_bytes().splitlines()]
    assert len(records) == len({one["id"] for one in records})
    assert {("own, synthetic", "Apache-2.0")} == {(one["source"], one["licence"]) for one in records}
    for one in records:
        labels = [*one["labels"]["figures"], *one["labels"].get("not_figures", [])]
        assert [label["text"] for label in labels] == [one["answer"][label["start"] : label["end"]] for label in labels]


def result(name: str, **counts: int) -> grounding_page.Result:
    return grounding_page.Result(name, Tally(**counts), 1, measure([Tally(**counts)]), 1.0)


def test_fresh_data_stands_over_the_set_that_it_resembles() -> None:
    """The page tells both values, their difference, and the F1 that the fresh set would have where as much is wrong."""
    results = {}
    for own, dev in grounding_page.FRESH.items():
        results[own] = result(own, tp=5, fn=5, fp=9, tn=81)
        results[dev] = result(dev, tp=40, fn=10, fp=0, tn=50)
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in grounding_page.fresh(results)]
    assert [
        ["**`own_bi`**", "10 %", ".357<br>.357–.357", ".500<br>.500–.500", ".417<br>.417–.417", "10.0 %<br>10.0–10.0 %", ".625"],
        ["`bi`", "50 %", "1.000<br>1.000–1.000", ".800<br>.800–.800", ".889<br>.889–.889", "0.0 %<br>0.0–0.0 %", ".889"],
        ["difference", "", "−.643", "−.300", "−.472", "+10.0 points", "−.264"],
    ] == rows[2:5]  # fmt: skip


def test_quotes_show_as_they_are() -> None:
    """Marks in a quoted answer neither end a table's cell nor change how the page is set."""
    error = errors_of("CC0-1.0")[0]
    marked = {**error.record, "answer": "*$a|b* " + ANSWER[7:]}
    assert "“\\*\\$a¦b\\* had **12**" in example([Error("bi", marked, error.label, None, True)])


@pytest.mark.usefixtures("data")
def test_below_a_floor_the_benchmark_fails(tmp_path: Path, capsys: Any) -> None:
    """The exit code is 1 below a floor, also while raising, and the floor stays."""
    floors = tmp_path / "floors.json"
    assert 0 == grounding.main(["bi", "--raise"])
    assert {"f1": {"at_least": 1.0}, "flagged_true": {"at_most": 0.0}} == grounding_floors.read(floors)["bi"]
    grounding_floors.write(floors, {"bi": {"f1": {"at_least": 1.01}}})
    assert (1, 1) == (grounding.main(["bi"]), grounding.main(["bi", "--raise"]))
    assert "bi f1: 1.0000, its floor is at least 1.01" in capsys.readouterr().out
    assert 1.01 == grounding_floors.read(floors)["bi"]["f1"]["at_least"]


@pytest.mark.usefixtures("data")
def test_a_set_with_floors_must_be_there(tmp_path: Path, capsys: Any) -> None:
    """A set whose file is gone does not pass in silence."""
    grounding_floors.write(tmp_path / "floors.json", {"tatqa": {"recall": {"at_least": 0.9}}})
    assert 1 == grounding.main([])
    assert "tatqa: has floors and is not there to be measured" in capsys.readouterr().out


def test_another_scorer_that_counts_otherwise_is_heard(data: Path, capsys: Any) -> None:
    """A scorer beside the data is asked, and a difference fails the run."""
    scorer = data.parent / "score.py"
    scorer.write_text(
        'print(\'{"tp": 1, "tn": 2, "skipped": 1, "answer_tp": 1, "precision": 1, "recall": 1, "f1": NaN}\')'
    )
    assert 1 == grounding.main(["bi"])
    assert "bi: score.py counts otherwise: f1 1, not 0" in capsys.readouterr().out
    scorer.write_text(scorer.read_text().replace("NaN", "1"))
    assert 0 == grounding.main(["bi"])
