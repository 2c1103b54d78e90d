"""From data to a model: what is said of a mistake when there is no file, or when pydantic says it many times."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from monitor.validation import LocalPath, LocalText, Secret, Text, known_keys, validate, wrong
from monitor.yamlfile import FileError


def _even(value: int) -> int:
    if value % 2:
        raise wrong(f"{value} is odd", "write an even number")
    return value


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    depth: int = Field(default=1, gt=0)
    mark: str = ""


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    inner: Inner | str | list[Inner] = ""
    even: Annotated[int, AfterValidator(_even)] = 0
    text: Text = ""
    words: tuple[str, ...] = ()
    secret: Secret | None = None
    path: LocalPath = Path("a")
    pattern: LocalText = "b"


def refused(data: Any) -> list[str]:
    with pytest.raises(FileError) as raised:
        validate(Outer, data)
    return [str(problem) for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"even": 3}, ["even: 3 is odd (write an even number)"]),
        ({"even": "x" * 99}, [f"even: '{'x' * 57}…' does not fit here (write a whole number)"]),
        ({"inner": {"depth": 0}}, ["inner.depth: 0 is not more than 0 (write a whole number, more than 0)"]),
        ({"inner": [{}, {"depht": 1}]}, ["inner[1].depht: unknown key (did you mean 'depth'? known: depth, mark)"]),
        ({"inner": 5}, ["inner: 5 does not fit here (write a block with depth, mark or text or a list of a block with depth, mark)"]),
        ({"text": 1.1}, ["text: 1.1 does not fit here (write text)"]),
        ({"words": ["a", None]}, ["words[1]: nothing does not fit here (write text)"]),
        ({"evne": 1, "even": 1}, ["even: 1 is odd (write an even number)", "evne: unknown key (did you mean 'even'? known: even, inner, path, pattern, secret, text, words)"]),
    ],
)  # fmt: skip
def test_each_value_is_complained_about_once(data: Any, said: list[str]) -> None:
    """One mistake a value, with the field and the remedy, however many ways pydantic tried to read it."""
    assert said == refused(data)


def test_a_whole_number_may_be_text() -> None:
    """A version written as 3 is the text 3; one written as 1.1 might have been 1.10, and is not."""
    assert "3" == validate(Outer, {"text": 3}).text


def test_paths_are_relative_to_the_folder_given(tmp_path: Path) -> None:
    """A relative path is taken from the folder, an absolute one and standard input are left alone."""
    found = validate(Outer, {"path": "x/y", "pattern": "in/*.jsonl"}, context={"folder": tmp_path})
    assert (tmp_path / "x/y", f"{tmp_path}/in/*.jsonl") == (found.path, found.pattern)
    found = validate(Outer, {"path": "/x", "pattern": "-"}, context={"folder": tmp_path})
    assert (Path("/x"), "-") == (found.path, found.pattern)
    assert "in" == validate(Outer, {"pattern": "in"}).pattern


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory (check the path)"),
        (b"\n", "is empty (write {file: /path} or {env: NAME} of a secret that is set)"),
        (b"\xff\xfe", "cannot be read: not UTF-8 text (check the path)"),
    ],
)
def test_a_secrets_file_must_hold_one(tmp_path: Path, content: bytes | None, said: str) -> None:
    """A file that is missing, empty or no text is said, without what is in it."""
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    with pytest.raises(FileError) as raised:
        validate(Outer, {"secret": {"file": "key"}}, context={"folder": tmp_path})
    assert said == str(raised.value)[-len(said) :]


@pytest.mark.parametrize(
    ("known", "given", "said"),
    [
        (["b", "a"], "zzz", "known: a, b"),
        (["rate", "strata"], "raet", "did you mean 'rate'? known: rate, strata"),
        ([], "x", "remove it: no keys are known here"),
    ],
)
def test_the_nearest_name_is_offered(known: list[str], given: str, said: str) -> None:
    """An unknown name is answered with the nearest known one, when one is near, and with all."""
    assert said == known_keys(known, given)
