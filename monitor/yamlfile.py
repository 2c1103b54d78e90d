"""
YAML files that people write, read with the position of every value, so that a mistake can be shown where it is.

Only plain data is read: the JSON-like part of YAML 1.2 (``no`` and ``2026-01-31`` are text, not a boolean and a
date), no tags, no second document. A file is at most 1 MB; nesting and what aliases may multiply to are bounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import yaml

from monitor.errors import ConfigError

MAX_BYTES = 1_000_000
MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_SHOWN = 10
"""Mistakes that one error lists; the rest is counted."""

Place = tuple[str | int, ...]
"""Where a value stands in a document: ``("sources", 0, "scope", "team")``."""
Expand = Callable[[str], str]
"""What a text means after ``${VAR}`` is replaced. Raises ConfigError when it cannot be."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE, _FALSE = frozenset(("true", "True", "TRUE")), frozenset(("false", "False", "FALSE"))
_INTEGER = re.compile(r"[-+]?[0-9]{1,300}")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_TEXT_TAG = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where it stands, what is wrong, what to write instead."""

    where: str
    field: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        said = ": ".join(part for part in (self.where, self.field, self.message) if part)
        return f"{said} ({self.hint})" if self.hint else said


class FileError(ConfigError):
    """The mistakes of one or more files, all of them; up to ten are in the message."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        if len(self.problems) == 1:
            only = self.problems[0]
            super().__init__(str(Problem(only.where, only.field, only.message)), hint=only.hint)
            return
        lines = [f"{len(self.problems)} mistakes", *(f"  {problem}" for problem in self.problems[:MAX_SHOWN])]
        if len(self.problems) > MAX_SHOWN:
            lines.append(f"  and {len(self.problems) - MAX_SHOWN} more")
        super().__init__("\n".join(lines), hint="mend these, then run `monitor lint`")

    def __str__(self) -> str:
        return super().__str__() if len(self.problems) == 1 else f"{self.message}\n{self.hint}"


@dataclass(slots=True)
class Node:
    """
    A value of a document with the line it starts on (from 1).

    *text* is a scalar as it is written, *quoted* whether in quotes; *fields* are a mapping's values with the line of
    their key; *items* a list's. *size* counts the values in it, aliases multiplied out. *origin* says where a value
    is from that no file holds.
    """

    value: Any
    line: int
    text: str | None = None
    quoted: bool = False
    fields: dict[str, tuple[int, Node]] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    size: int = 1
    origin: str = ""


@dataclass(slots=True)
class Document:
    """A file's content: *data* as plain Python values, and where each stands."""

    path: Path
    root: Node

    @property
    def data(self) -> Any:
        """The whole content; None when the file is empty."""
        return self.root.value

    def find(self, place: Place) -> Node | None:
        """The value at *place*, or None."""
        node: Node | None = self.root
        for part in place:
            node = _step(node, part) if node else None
        return node

    def where(self, place: Place = ()) -> str:
        """``file:line`` of *place*, or of the nearest enclosing value that is there."""
        node, line = self.root, self.root.line
        for part in place:
            inner = _step(node, part)
            if inner is None:
                break
            line = node.fields[part][0] if isinstance(part, str) else inner.line
            node = inner
        return node.origin or f"{self.path}:{line}"

    def problem(self, place: Place, message: str, hint: str = "") -> Problem:
        """A mistake at *place*."""
        return Problem(self.where(place), dotted(place), message, hint)

    def error(self, place: Place, message: str, hint: str = "") -> FileError:
        """The same as an error to raise."""
        return FileError([self.problem(place, message, hint)])


def dotted(place: Place) -> str:
    """``sources[0].scope.team``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def load(path: Path, *, expand: Expand | None = None) -> Document:
    """
    The document in the file *path*; *expand* is applied to every text in it.

    Raises ConfigError when the file cannot be read, FileError when it is no such document.
    """
    text = _read(path)
    builder = _Builder(path, expand)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise FileError([_syntax(path, text, error)]) from None
    except yaml.YAMLError as error:
        line = text.count("\n", 0, getattr(error, "position", 0)) + 1
        problem = Problem(f"{path}:{line}", "", f"not YAML: {getattr(error, 'reason', error)}", "remove that character")
        raise FileError([problem]) from None
    if builder.problems:
        raise FileError(builder.problems)
    return Document(path, builder.root or Node(None, 1))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist", hint="check the path") from None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}", hint="check the path and who may read it"
        ) from None
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"{path} is larger than {MAX_BYTES // 1_000_000} MB", hint="split the file")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FileError([Problem(f"{path}:{line}", "", "not UTF-8 text", "save the file as UTF-8")]) from None


def _step(node: Node, part: str | int) -> Node | None:
    if isinstance(part, str):
        found = node.fields.get(part)
        return found[1] if found else None
    return node.items[part] if 0 <= part < len(node.items) else None


@dataclass(slots=True)
class _Open:
    """A mapping or list under construction."""

    node: Node
    mapping: bool
    anchor: str | None
    key: str | None = None
    key_line: int = 0
    merged: list[Node] = field(default_factory=list)


class _Builder:
    """Makes nodes of parser events. Never recurses: depth and size are checked before anything is built."""

    def __init__(self, path: Path, expand: Expand | None) -> None:
        self.root: Node | None = None
        self.problems: list[Problem] = []
        self._path = path
        self._expand = expand
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}

    def take(self, event: Any) -> None:
        """The next event."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._start(event, line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._end()
        elif isinstance(event, yaml.AliasEvent):
            target = self._anchors.get(event.anchor or "")
            if target is None:
                self._stop(
                    line, f"*{event.anchor} names no anchor before it", 'put text that starts with * in quotes: "*"'
                )
            self._add(target, line)
        elif isinstance(event, yaml.DocumentStartEvent) and self.root:
            self._stop(line, "a second document starts here", "write one document a file, without `---` inside")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._check_tag(event.tag, line)
        top = self._open[-1] if self._open else None
        text = event.value
        if top and top.mapping and top.key is None:
            self._key(top, text, line)
            return
        plain = event.implicit[0] and event.tag is None
        node = Node(_resolved(text) if plain else text, line, text=text, quoted=not plain)
        if isinstance(node.value, str) and self._expand:
            try:
                node.value = self._expand(text)
            except ConfigError as error:
                place = self._place()
                self.problems.append(Problem(f"{self._path}:{line}", dotted(place), error.message, error.hint))
        if event.anchor:
            self._anchors[event.anchor] = node
        self._add(node, line)

    def _key(self, top: _Open, key: str, line: int) -> None:
        if key in top.node.fields:
            first = top.node.fields[key][0]
            place = (*self._place(), key)
            message = f"the key stands here for the second time; first on line {first}"
            self.problems.append(Problem(f"{self._path}:{line}", dotted(place), message, "keep one of them"))
        top.key, top.key_line = key, line

    def _start(self, event: Any, line: int) -> None:
        self._check_tag(event.tag, line)
        mapping = isinstance(event, yaml.MappingStartEvent)
        if self._open and self._open[-1].mapping and self._open[-1].key is None:
            self._stop(line, "a key is a list or a block", "write keys as text")
        if len(self._open) >= MAX_DEPTH:
            self._stop(line, f"nested deeper than {MAX_DEPTH} levels", "write it flatter")
        self._open.append(_Open(Node({} if mapping else [], line), mapping, event.anchor))

    def _end(self) -> None:
        done = self._open.pop()
        for merged in done.merged:
            for key, (line, node) in merged.fields.items():
                if key not in done.node.fields:
                    self._put(done.node, key, line, node)
        if done.anchor:
            self._anchors[done.anchor] = done.node
        self._add(done.node, done.node.line)

    def _add(self, node: Node, line: int) -> None:
        """Put a finished value where it belongs."""
        if not self._open:
            self.root = node
            return
        top = self._open[-1]
        if not top.mapping:
            top.node.items.append(node)
            top.node.value.append(node.value)
            top.node.size += node.size
        elif top.key is None:
            self._stop(line, "a key is an alias", "write keys as text")
        elif top.key == "<<":
            top.merged.extend(self._mappings(node, line))
            top.key = None
        else:
            self._put(top.node, top.key, top.key_line, node)
            top.key = None
        if top.node.size > MAX_VALUES:
            self._stop(line, f"more than {MAX_VALUES} values, aliases multiplied out", "split the file")

    def _mappings(self, node: Node, line: int) -> list[Node]:
        nodes = node.items if isinstance(node.value, list) else [node]
        if not all(isinstance(each.value, dict) for each in nodes):
            self._stop(line, "`<<` merges something that is no block", "write `<<: *name` of an anchored block")
        return nodes

    @staticmethod
    def _put(target: Node, key: str, line: int, node: Node) -> None:
        target.fields[key] = (line, node)
        target.value[key] = node.value
        target.size += node.size

    def _place(self) -> Place:
        place: list[str | int] = []
        for level in self._open:
            if not level.mapping:
                place.append(len(level.node.items))
            elif level.key is not None:
                place.append(level.key)
        return tuple(place)

    def _check_tag(self, tag: str | None, line: int) -> None:
        if tag not in (None, "!", _TEXT_TAG):
            self._stop(line, f"the tag {tag} is not read", "remove it; put text that starts with ! in quotes")

    def _stop(self, line: int, message: str, hint: str) -> NoReturn:
        raise FileError([*self.problems, Problem(f"{self._path}:{line}", dotted(self._place()), message, hint)])


def _resolved(text: str) -> Any:
    """What unquoted text means: null, a boolean, a number, or itself."""
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if _INTEGER.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _syntax(path: Path, text: str, error: yaml.MarkedYAMLError) -> Problem:
    """A parser's complaint as a problem with a remedy."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark else 1
    lines = text.splitlines()
    shown = lines[mark.line] if mark and mark.line < len(lines) else ""
    at = shown[mark.column : mark.column + 1] if mark else ""
    said = error.problem or "cannot be parsed"
    if "nesting depth" in said:
        hint = "write it flatter"
    elif at == "\t":
        hint = "indent with spaces, not tabs"
    elif "mapping values" in said:
        hint = "put text that contains ': ' in quotes, or indent the block under its key"
    elif at in tuple("@`%&*!|>") or "alphabetic or numeric" in said:
        hint = "put text that starts with one of * & ! % @ ` in quotes"
    elif "end of stream" in said:
        hint = "close the quotes"
    else:
        hint = "check brackets, quotes and the indentation of this line and the one before"
    return Problem(f"{path}:{line}", "", f"not YAML: {said}", hint)
