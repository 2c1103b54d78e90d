from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.outcome import FigureVerdict, Outcome
from monitor.store import Commit, TurnRow
from monitor.store.encoding import clean, cleaned, dump, dump_exact, load, load_exact

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["Cs"]))
)
EXACT = SCALARS | st.decimals(allow_nan=False) | st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
OURS = st.sampled_from(["$decimal", "$literal", "$", '"$decimal":'])
LOOKALIKES: st.SearchStrategy[Any] = st.dictionaries(
    OURS, st.sampled_from(["1", "1.50", "NaN", "no number", 1, None, {}]), max_size=2
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner) | st.dictionaries(TEXT, inner) | st.dictionaries(OURS, inner, max_size=2)


@given(st.recursive(EXACT | OURS | LOOKALIKES, _nested, max_leaves=20))
def test_exact_json_comes_back(value: Any) -> None:
    """Any JSON value, exact decimals included, comes back the same and of the same types."""
    back = load_exact(dump_exact(value))
    assert (value, repr(value)) == (back, repr(back))


@pytest.mark.parametrize(
    "value",
    [
        {"$decimal": "1.5", "more": 1},
        {"$decimal": 1},
        {"$decimal": "no number"},
        {"$decimal": "1"},
        {"$literal": {"$decimal": "1"}},
        [{"$decimal": {"$literal": {"$literal": "1"}}}, Decimal("1.50")],
    ],
)
def test_what_only_looks_like_a_decimal_stays(value: Any) -> None:
    """A recorded object that has our mark for a decimal and is none stays what it was."""
    assert value == load_exact(dump_exact(value))


def test_plain_json_is_for_people() -> None:
    """Outside fragments a decimal is its text and a model an object, so that other programs can read it."""
    figure = FigureVerdict(start=0, end=1, text="1", grounded=True, source={"value": Decimal("1.50")})
    [back] = load(dump((figure,)))
    assert ("1.50", True, None) == (back["source"]["value"], back["grounded"], back["cause"])


def test_same_content_is_the_same_text() -> None:
    """A checkpoint is recognised by its text, whatever the order of its keys."""
    assert dump({"a": 1, "b": 2}) == dump({"b": 2, "a": 1})


@pytest.mark.parametrize(("text", "expected"), [("a\ud83d", "a?"), ("é\udcff", "é?"), ("✈️", "✈️"), ("a\x00", "a\x00")])
def test_lone_surrogates_become_question_marks(text: str, expected: str) -> None:
    """Only what no encoding has is replaced."""
    assert expected == clean(text)


def test_a_whole_commit_is_cleaned() -> None:
    """Every text in a commit is cleaned, in dataclasses, models, keys and values, and nothing else is changed."""
    outcome = Outcome.passed("x\ud83d", result_id="1")
    commit = Commit(
        "s\ud83d",
        checkpoint={"k\ud83d": ["\ud83d", 1, None]},
        turns=[TurnRow("c\ud83d", "t", "r", "complete", "evaluated", fragments=3)],
        outcomes=[outcome],
        unknown_codes={("E\ud83d", "unknown"): 1},
    )
    expected = Commit(
        "s?",
        checkpoint={"k?": ["?", 1, None]},
        turns=[TurnRow("c?", "t", "r", "complete", "evaluated", fragments=3)],
        outcomes=[Outcome.passed("x?", result_id="1")],
        unknown_codes={("E?", "unknown"): 1},
    )
    assert expected == cleaned(commit)
