"""JSON in, bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.errors import RecordError
from monitor.jsonio import MAX_DEPTH, depth, maybe_json, parse


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


def test_depth_up_to_the_limit_is_read() -> None:
    """64 levels are read."""
    assert depth(parse(nested(MAX_DEPTH))) == MAX_DEPTH


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 500, 5_000, 100_000])
def test_deeper_is_refused(levels: int) -> None:
    """More levels are refused by us, long before anything recurses."""
    with pytest.raises(RecordError) as caught:
        parse(nested(levels))
    assert caught.value.cause == "too_deep"


def test_many_brackets_that_do_not_nest_are_fine() -> None:
    """A flat list of a thousand lists, and brackets in texts, are not deep."""
    assert parse(b"[" + b"[1]," * 1000 + b"[2]]")[-1] == [2]
    assert parse(b'["' + b"[" * 500 + b'"]') == ["[" * 500]


@pytest.mark.parametrize("text", [b'{"a": NaN}', b"[Infinity]", b'{"a": 1', b"", b'"\\ud800"'])
def test_what_is_not_json_is_refused(text: bytes) -> None:
    """NaN, Infinity, a cut line, nothing, and half a character pair are not JSON."""
    with pytest.raises(RecordError) as caught:
        parse(text)
    assert caught.value.cause == "not_json"


def test_invalid_utf8_says_where() -> None:
    """Bytes that are no UTF-8 are refused with their place."""
    with pytest.raises(RecordError) as caught:
        parse(b'{"a": "\xff"}')
    assert (caught.value.cause, "byte 7" in caught.value.message) == ("not_utf8", True)


def test_last_of_duplicate_keys_wins() -> None:
    """Of duplicate keys the last wins."""
    assert parse(b'{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    ("value", "expected"), [('{"a": 1}', {"a": 1}), ("[1]", [1]), ("{a", "{a"), ("5", "5"), (5, 5)]
)
def test_maybe_json(value: object, expected: object) -> None:
    """A text that holds an object or list becomes it; everything else stays."""
    assert maybe_json(value) == expected


@given(
    st.recursive(st.none() | st.integers(-9, 9) | st.text(max_size=3), lambda v: st.lists(v, max_size=3), max_leaves=20)
)
def test_depth_agrees_with_recursion(value: object) -> None:
    """The levels counted without recursion are those counted with it."""

    def recursive(item: object) -> int:
        return 1 + max(map(recursive, item), default=0) if isinstance(item, list) else 0

    assert depth(value) == recursive(value)
