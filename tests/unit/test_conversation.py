"""The internal model."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from monitor.conversation import Query
from monitor.errors import RecordError
from monitor.formats import Record
from monitor.formats.native import Native


@pytest.mark.parametrize("semantic", ["Infinity", 1, ["metrics"], True])
def test_a_semantic_query_is_an_object(semantic: Any) -> None:
    """Anything else is a record that cannot be read, with its place, not a check that breaks on it later."""
    turn = {"id": "t1", "question": {"text": "a?"}, "answer": {"text": "1"}}
    data = {"id": "c", "turns": [{**turn, "queries": [{"id": "q", "language": "semantic", "semantic": semantic}]}]}
    with pytest.raises(RecordError, match=r"turns\.0\.queries\.0\.semantic") as raised:
        Native().fragments(Record(data))
    assert "invalid" == raised.value.cause
    with pytest.raises(ValidationError):
        Query(id="q", semantic=semantic)


def test_a_semantic_query_is_kept_as_recorded() -> None:
    """An object of any content stands, and so does none."""
    recorded = {"metrics": ["n"], "limit": "ten", "filters": {"a": [None, 1.5]}}
    assert (recorded, None) == (Query(id="q", semantic=recorded).semantic, Query(id="q").semantic)
