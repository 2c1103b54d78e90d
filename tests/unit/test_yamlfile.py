"""YAML with positions: what is read, what is refused, and where a mistake is said to stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from monitor.errors import ConfigError
from monitor.yamlfile import MAX_BYTES, MAX_DEPTH, Document, FileError, Problem, load


def read(folder: Path, text: str | bytes) -> Document:
    file = folder / "file.yaml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(file)


def refused(folder: Path, text: str | bytes) -> str:
    """What is said of *text*, from the line number on."""
    with pytest.raises(FileError) as raised:
        read(folder, text)
    return str(raised.value).removeprefix(f"{folder / 'file.yaml'}:")


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a: 1", {"a": 1}),
        ("a: -1.5e3", {"a": -1500.0}),
        ("a: true\nb: null\nc: ~\nd:", {"a": True, "b": None, "c": None, "d": None}),
        ("a: no\nb: on\nc: yes", {"a": "no", "b": "on", "c": "yes"}),
        ("a: 2026-01-31\nb: 12:30:00\nc: 1_000", {"a": "2026-01-31", "b": "12:30:00", "c": "1_000"}),
        ("a: '1'\nb: !!str 1.10\nc: |\n  x\n  y\n", {"a": "1", "b": "1.10", "c": "x\ny\n"}),
        ("a: 1e999\nb: .inf\nc: .nan", {"a": "1e999", "b": ".inf", "c": ".nan"}),
        ("2026: x\ntrue: y", {"2026": "x", "true": "y"}),
        ("- [a, {b: c}]", [["a", {"b": "c"}]]),
        (
            "a: &x {b: 1, c: 2}\nd: *x\ne: {<<: *x, c: 3}",
            {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 2}, "e": {"c": 3, "b": 1}},
        ),
        ("a: &x {b: 1}\nc: {<<: [*x, {d: 2}]}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("\ufeffa: é", {"a": "é"}),
        ("", None),
        ("# nothing\n", None),
        ("a: " + "9" * 5_000, {"a": "9" * 5_000}),
    ],
)
def test_plain_data_is_read(tmp_path: Path, text: str, data: Any) -> None:
    """A scalar is what it looks like: null, boolean, finite number, else text; aliases and merges are followed."""
    assert data == read(tmp_path, text).data


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "4: b.c: the key stands here for the second time; first on line 3 (keep one of them)"),
        ("a:\n\tb: 1\n", "2: not YAML: found character that cannot start any token (indent with spaces, not tabs)"),
        (
            "a: b: c\n",
            "1: not YAML: mapping values are not allowed in this context (put text that contains ': ' in quotes, or indent the block under its key)",
        ),
        ("a: 'x\n", "2: not YAML: found unexpected end of stream (close the quotes)"),
        ("a: @x\n", "1: not YAML: found character that cannot start any token (put text that starts with one of * & ! % @ ` in quotes)"),
        ("m:\n  a: *\n", "2: not YAML: did not find expected alphabetic or numeric character (put text that starts with one of * & ! % @ ` in quotes)"),
        ("m:\n- x\n- *bot\n", '3: m[1]: *bot names no anchor before it (put text that starts with * in quotes: "*")'),
        ("a: !!python/object:os.system x\n", "1: a: the tag tag:yaml.org,2002:python/object:os.system is not read (remove it; put text that starts with ! in quotes)"),
        ("a: !block {b: 1}\n", "1: a: the tag !block is not read (remove it; put text that starts with ! in quotes)"),
        ("a: 1\n---\nb: 2\n", "2: a second document starts here (write one document a file, without `---` inside)"),
        ("? [a]\n: b\n", "1: a key is a list or a block (write keys as text)"),
        ("a: &a x\n*a : b\n", "2: a key is an alias (write keys as text)"),
        ("a: {<<: x}\n", "1: a.<<: `<<` merges something that is no block (write `<<: *name` of an anchored block)"),
        ("a: &a [*a]\n", '1: a[0]: *a names no anchor before it (put text that starts with * in quotes: "*")'),
        ("a: x\nb: \x01\n", "2: not YAML: control characters are not allowed (remove that character)"),
        (b"a: x\nb: \xff\n", "2: not UTF-8 text (save the file as UTF-8)"),
        ("a: [\n", "2: not YAML: did not find expected node content (check brackets, quotes and the indentation of this line and the one before)"),
    ],
)  # fmt: skip
def test_what_is_no_plain_data_is_refused_where_it_stands(tmp_path: Path, text: str | bytes, said: str) -> None:
    """A file that is not plain data is refused with its line, the field where there is one, and the remedy."""
    assert said == refused(tmp_path, text)


def test_aliases_do_not_multiply(tmp_path: Path) -> None:
    """A few lines of aliases of aliases cannot become billions of values."""
    lines = ["a: &a [" + ", ".join(["x"] * 10) + "]"]
    lines += [f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    assert "5: e[10]: more than 100000 values, aliases multiplied out (split the file)" == refused(
        tmp_path, "\n".join(lines)
    )


def test_depth_is_bounded(tmp_path: Path) -> None:
    """Nesting as deep as the file is long ends in a message, not in a crash."""
    assert f"nested deeper than {MAX_DEPTH} levels (write it flatter)" in refused(tmp_path, "[" * (MAX_DEPTH + 1))
    assert "1: not YAML: exceeded maximum nesting depth (write it flatter)" == refused(tmp_path, "[" * 500_000)


def test_size_is_bounded(tmp_path: Path) -> None:
    """A file over 1 MB is not read."""
    with pytest.raises(ConfigError, match=r"file\.yaml is larger than 1 MB \(split the file\)"):
        read(tmp_path, "a: " + "x" * MAX_BYTES)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    """A file that is not there, and a folder in its place, are errors with the path."""
    with pytest.raises(ConfigError, match=r"none\.yaml does not exist \(check the path\)"):
        load(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path)


def test_every_value_has_its_line(tmp_path: Path) -> None:
    """A value stands where its key or its dash does; one that is missing, where its block does."""
    document = read(tmp_path, "a:\n  b:\n    - x\n    - y: |\n        long\n  c: 1\n")
    lines = {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 3,
        ("a", "b", 1, "y"): 4,
        ("a", "c"): 6,
        ("a", "missing"): 1,
        ("a", "b", 7): 2,
    }
    assert lines == {place: int(document.where(place).rpartition(":")[2]) for place in lines}


def test_many_mistakes_are_all_counted() -> None:
    """One error lists ten mistakes and says how many more there are; all are in its problems."""
    error = FileError(Problem(f"f.yaml:{line}", "a", "wrong", "mend it") for line in range(1, 14))
    lines = str(error).splitlines()
    assert ("13 mistakes", "  f.yaml:1: a: wrong (mend it)", "  and 3 more") == (lines[0], lines[1], lines[11])
    assert 13 == len(error.problems)
