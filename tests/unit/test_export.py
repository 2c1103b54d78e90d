from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import monitor.export
from monitor.conversation import Scope
from monitor.errors import MonitorError
from monitor.export import TABLES, export
from monitor.outcome import FigureVerdict, Judge, Outcome
from monitor.store import Commit, Quarantined, ReviewItem, Store, TurnRow, TurnText

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
SCOPE = Scope(team="sales", agent="flights")


def outcome(number: int, **more: Any) -> Outcome:
    return Outcome.failed(
        f"explanation {number}",
        result_id=f"{number:032}",
        conversation_id=f"c{number}",
        turn_id="t1",
        revision="r",
        rule="grounded",
        scope=SCOPE,
        evaluated_at=NOON,
        **more,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'state.db'}") as store:
        judge = Judge(model="m", method="steps", tokens_in=10, tokens_out=2, cost=0.5)
        figure = FigureVerdict(start=0, end=2, text="42", grounded=False)
        outcomes = [outcome(0, judge=judge, figures=(figure,)), outcome(1, weight=4.0), outcome(2)]
        turns = [TurnRow(f"c{number}", "t1", "r", "complete", "evaluated", SCOPE, NOON) for number in range(3)]
        review = [ReviewItem(outcomes[0].result_id, "grounded", "major", "fail", SCOPE, NOON.date(), 0.5)]
        texts = [TurnText("c0", "t1", "r", "how many?", "42 ✈️\x00", {"rows": [[41]]})]
        bad = [Quarantined("file", "a.jsonl:7", "invalid", "id: got 'how many?'", "mend it", 12, "ab" * 32)]
        store.commit(Commit("file", turns=turns, outcomes=outcomes, review=review, texts=texts, quarantined=bad))
        yield store


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def test_tables_are_exported_with_their_types(store: Store, tmp_path: Path) -> None:
    """Every table becomes a file, with times in UTC, numbers as numbers, and nulls where nothing is."""
    counts = export(store, tmp_path / "new" / "folder")
    assert {"live_scores": 3, "current_scores": 3, "turns": 3, "review_items": 1, "quarantine": 1} == counts
    schema = pq.read_schema(tmp_path / "new" / "folder" / "live_scores.parquet")
    expected = {
        "result_id": pa.string(),
        "label": pa.string(),
        "score": pa.float64(),
        "judge_tokens_in": pa.int64(),
        "evaluated_at": pa.timestamp("us", tz="UTC"),
        "day": pa.date32(),
    }
    assert expected == {name: schema.field(name).type for name in expected}
    first, second, _ = sorted(
        rows(tmp_path / "new" / "folder" / "live_scores.parquet"), key=lambda row: row["result_id"]
    )
    assert (NOON, date(2026, 3, 1), 0.0, "m", 0.5, 1.0) == tuple(
        first[name] for name in ("evaluated_at", "day", "score", "judge_model", "judge_cost", "weight")
    )
    assert (None, None, None, 4.0) == tuple(
        second[name] for name in ("judge_model", "judge_tokens_in", "revised_at", "weight")
    )


def test_pandas_reads_it(store: Store, tmp_path: Path) -> None:
    """A data frame of it counts and compares times at once."""
    export(store, tmp_path / "out", ["current_scores", "turns"])
    scores = pd.read_parquet(tmp_path / "out" / "current_scores.parquet")
    assert {"fail": 3} == scores["label"].value_counts().to_dict()
    assert (scores["evaluated_at"] == pd.Timestamp(NOON)).all()
    assert ["sales"] * 3 == list(pd.read_parquet(tmp_path / "out" / "turns.parquet")["team"])


def test_no_text_leaves_unasked(store: Store, tmp_path: Path) -> None:
    """Without the flag no file holds text of a conversation, and naming such a table is refused before anything."""
    export(store, tmp_path / "out")
    assert {f"{name}.parquet" for name in TABLES} == {path.name for path in (tmp_path / "out").iterdir()}
    for path in (tmp_path / "out").iterdir():
        assert not any("explanation" in str(row) or "how many" in str(row) for row in rows(path))
    [bad] = rows(tmp_path / "out" / "quarantine.parquet")
    assert ("a.jsonl:7", "invalid", None) == (bad["position"], bad["cause"], bad["message"])
    with pytest.raises(MonitorError, match="outcome_texts holds text"):
        export(store, tmp_path / "other", ["live_scores", "outcome_texts"])
    assert not (tmp_path / "other").exists()


def test_texts_are_exported_when_asked_for(store: Store, tmp_path: Path) -> None:
    """With the flag the texts come too, figures and evidence as JSON."""
    counts = export(store, tmp_path, texts=True)
    assert (3, 1) == (counts["outcome_texts"], counts["turn_texts"])
    assert "id: got 'how many?'" == rows(tmp_path / "quarantine.parquet")[0]["message"]
    [text] = rows(tmp_path / "turn_texts.parquet")
    assert ("how many?", "42 ✈️\x00", '{"rows":[[41]]}') == (text["question"], text["answer"], text["evidence"])
    first = min(rows(tmp_path / "outcome_texts.parquet"), key=lambda row: row["result_id"])
    assert "explanation 0" == first["explanation"]
    assert '"text":"42"' in first["figures"]


def test_unknown_table_is_refused(store: Store, tmp_path: Path) -> None:
    """A name that is no table is told together with those that are."""
    with pytest.raises(MonitorError, match="'scores'") as caught:
        export(store, tmp_path, ["scores"])
    assert "live_scores" in caught.value.hint


def test_empty_table_is_a_file_with_columns(tmp_path: Path) -> None:
    """Nothing stored is a readable file without rows."""
    with Store.open("sqlite://") as store:
        assert {"live_scores": 0} == export(store, tmp_path, ["live_scores"])
    table = pq.read_table(tmp_path / "live_scores.parquet")
    assert (0, True) == (table.num_rows, "label" in table.column_names)


def test_large_table_is_written_in_portions(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows go portion by portion into row groups, so that memory does not grow with the table."""
    monkeypatch.setattr(monitor.export, "ROW_GROUP", 2)
    export(store, tmp_path, ["live_scores"])
    file = pq.ParquetFile(tmp_path / "live_scores.parquet")
    assert [2, 1] == [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]


def test_interrupted_export_leaves_the_last_one(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is replaced only by a whole one; what failed leaves nothing behind."""
    export(store, tmp_path / "out", ["live_scores"])
    before = rows(tmp_path / "out" / "live_scores.parquet")
    store.commit(Commit("file", outcomes=[outcome(9)]))

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(monitor.export, "_record_batch", fail)
    with pytest.raises(MonitorError, match="No space left") as caught:
        export(store, tmp_path / "out", ["live_scores"])
    assert "room" in caught.value.hint
    assert ["live_scores.parquet"] == [path.name for path in (tmp_path / "out").iterdir()]
    assert before == rows(tmp_path / "out" / "live_scores.parquet")


def test_folder_that_cannot_be_made_is_told(store: Store, tmp_path: Path) -> None:
    """A folder under a file is refused by name."""
    (tmp_path / "file").touch()
    with pytest.raises(MonitorError, match="cannot export to"):
        export(store, tmp_path / "file" / "out")
