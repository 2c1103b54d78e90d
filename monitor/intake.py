"""
From raw records to conversations: parse, redact, take apart, join, say whose they are.

One record never stops the rest: what cannot be read is quarantined with its cause. Counts add up:
read = parsed + ignored + quarantined.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from monitor.config import Config, SourceConfig
from monitor.conversation import Conversation, Json, Scope, Turn
from monitor.errors import ConfigError, MonitorError, RecordError, where
from monitor.formats import Format, Fragment, Record
from monitor.formats.detect import detect
from monitor.formats.unwrap import unwrap
from monitor.jsonio import MAX_DEPTH, depth, parse
from monitor.redact import Redactor, user_pseudonym
from monitor.sources import Raw, Unreadable, sha256
from monitor.store.batch import Quarantined

log = structlog.get_logger(__name__)

SAMPLE = 50
"""Records that decide about a format."""
_SCOPE_KEY = "\x00scope"
_BETWEEN = ":"


@dataclass(slots=True)
class Taken:
    """
    What a batch of records came to.

    *fragments* carry groups that name their format; *whole* are conversations that need nothing else, with the size of
    the record each came from.
    """

    fragments: list[Fragment] = field(default_factory=list)
    whole: list[Conversation] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    size: int = 0


def _by_time(turn: Turn) -> tuple[bool, float, str]:
    return (turn.started_at is None, turn.started_at.timestamp() if turn.started_at else 0.0, turn.id)


@contextlib.contextmanager
def readable() -> Iterator[None]:
    """Whatever breaks while a record is read is that record's fault: a RecordError, and the rest goes on."""
    try:
        yield
    except MonitorError:
        raise
    except RecursionError:
        raise RecordError("too_deep", "nested too deep") from None
    except Exception as defect:  # noqa: BLE001 - one record never stops the rest
        at = where(defect)
        log.warning("record_broke", error_type=type(defect).__name__, at=at)
        raise RecordError(
            "invalid", f"could not be read: {type(defect).__name__} at {at}", hint="report this"
        ) from None


class Intake:
    """Takes the records of one source apart, and joins what belongs together."""

    def __init__(self, source: SourceConfig, config: Config, *, strict: bool = False) -> None:
        """*strict*: a file whose records are of more than one format is an error, not quarantined."""
        self._strict = strict
        self._mixed: dict[str, RecordError] = {}
        self._source = source
        self._redactor = Redactor(config.redact)
        self._secret = config.user_secret.get_secret_value() if config.user_secret else None
        self._record_bytes = config.limits.record_bytes
        self._fixed = source.build_format()
        self._by_origin: dict[str, Format] = {}
        self._by_name: dict[str, Format] = {self._fixed.name: self._fixed} if self._fixed else {}
        self._paths = any(hasattr(value, "path") for value in source.scope.__dict__.values())

    @property
    def formats(self) -> dict[str, str]:
        """What each origin was found to be written in."""
        return {origin: known.name for origin, known in self._by_origin.items()}

    def pin(self, names: dict[str, str]) -> None:
        """Go on with formats that were found earlier."""
        self._by_origin.update({origin: self._format(name) for origin, name in names.items()})

    def take(self, items: Iterable[Raw | Unreadable]) -> Taken:
        """
        *items* as fragments and whole conversations.

        What is wrong with a record is quarantined, whatever it is. Raises ConfigError, when strict, for a file of more
        than one format.
        """
        items = list(items)
        self._detect(items)
        taken = Taken()
        for item in items:
            taken.counts["read"] += 1
            if isinstance(item, Unreadable):
                self._quarantine(taken, item.position, item.error, item.size, item.sha256)
                continue
            size = len(item.data) if isinstance(item.data, bytes) else 0
            taken.size += size
            try:
                with readable():
                    self._apart(taken, item, self._record(item))
            except RecordError as error:
                digest = sha256(item.data) if isinstance(item.data, bytes) else ""
                self._quarantine(taken, item.position, error, size, digest)
        return taken

    def join(self, parts: Mapping[str, Sequence[Fragment]]) -> Conversation:
        """The conversation that its groups, each with its fragments, make: its turns in order. Raises RecordError."""
        with readable():
            joined = [self._join(fragments, group) for group, fragments in parts.items()]
        if len(joined) == 1:
            return joined[0]
        turns = sorted((turn for part in joined for turn in part.turns), key=_by_time)
        numbered = tuple(turn.model_copy(update={"index": index}) for index, turn in enumerate(turns))
        first = min(joined, key=lambda part: (part.started_at is None, part.started_at))
        return first.model_copy(update={"turns": numbered})

    def _join(self, fragments: Sequence[Fragment], group: str) -> Conversation:
        name, _, key = group.partition(_BETWEEN)
        own = [fragment for fragment in fragments if fragment.key != _SCOPE_KEY]
        stored = next((fragment.event for fragment in fragments if fragment.key == _SCOPE_KEY), None)
        if not own:
            raise RecordError("invalid", "a group without fragments")
        return self._owned(self._format(name).conversation(key, own), stored)

    def _record(self, raw: Raw) -> Record:
        data, source_bytes = raw.data, None
        if isinstance(data, bytes):
            if len(data) > self._record_bytes:
                raise RecordError(
                    "too_large",
                    f"{len(data)} bytes; the limit is {self._record_bytes}",
                    hint="raise limits.record_bytes",
                )
            source_bytes = data
            data = self._parsed(raw, data)
        elif depth(data) > MAX_DEPTH:
            raise RecordError("too_deep", f"nested deeper than {MAX_DEPTH} levels")
        plain = unwrap(Record(data, raw.position, raw.attributes), self._record_bytes)
        if isinstance(plain.data, bytes):
            return plain
        same = plain.data is data
        redacted, _ = self._redactor.record(plain.data, source_bytes if same else None)
        return replace(plain, data=redacted) if redacted is not plain.data else plain

    @staticmethod
    def _parsed(raw: Raw, data: bytes) -> Json:
        try:
            return parse(data)
        except RecordError:
            if raw.attributes:
                return data
            raise

    def _detect(self, items: Iterable[Raw | Unreadable]) -> None:
        """Find out the format of each origin that has none yet, from its first records."""
        if self._fixed is not None:
            return
        samples: dict[str, list[Record]] = {}
        for item in items:
            if isinstance(item, Unreadable) or item.origin in self._by_origin or item.origin in self._mixed:
                continue
            sample = samples.setdefault(item.origin, [])
            if len(sample) < SAMPLE:
                with contextlib.suppress(RecordError), readable():
                    sample.append(self._record(item))
        for origin, sample in samples.items():
            try:
                found = detect(sample)
            except RecordError:
                continue
            except ConfigError as error:
                self._refuse_mixed(origin, error)
            else:
                self._by_origin[origin] = self._format(found.name)

    def _refuse_mixed(self, origin: str, error: ConfigError) -> None:
        """A file of several formats: the run ends where it is about this file, else only this file is set aside."""
        if self._strict:
            raise ConfigError(f"{origin}: {error.message}", hint=error.hint) from None
        log.warning("format_ambiguous", origin=origin, reason=error.message, hint=error.hint)
        self._mixed[origin] = RecordError("unknown_format", error.message, hint=error.hint)

    def _format(self, name: str) -> Format:
        if name not in self._by_name:
            built = self._source.build_format(name)
            if built is None:
                raise RecordError("unknown_format", "the format could not be told", hint="set the source's format")
            self._by_name[name] = built
        return self._by_name[name]

    def _apart(self, taken: Taken, raw: Raw, record: Record) -> None:
        known = self._fixed or self._by_origin.get(raw.origin)
        if raw.origin in self._mixed:
            raise self._mixed[raw.origin]
        if known is None:
            detect([record])
            raise RecordError("unknown_format", "the format could not be told", hint="set the source's format")
        fragments = known.fragments(record)
        if isinstance(record.data, bytes):
            fragments = [replace(each, event=self._redactor.record(each.event)[0]) for each in fragments]
        scope = self._scope(record.data) if self._paths and fragments else None
        if not fragments:
            taken.counts["ignored"] += 1
            return
        whole = [self._owned(self._hidden(known.conversation(f.group, [f])), scope) for f in fragments if f.whole]
        taken.whole.extend(whole)
        for fragment in fragments:
            if not fragment.whole:
                self._hide(fragment.event, known.user_paths)
                group = f"{known.name}{_BETWEEN}{fragment.group}"
                conversation = f"{known.name}{_BETWEEN}{fragment.conversation}" if fragment.conversation else ""
                taken.fragments.append(replace(fragment, group=group, conversation=conversation))
                if scope:
                    taken.fragments.append(Fragment(group, _SCOPE_KEY, ("", ""), scope))
        taken.counts["parsed"] += 1

    def _scope(self, data: Json) -> dict[str, str]:
        """What the configured paths find in a record."""
        found = self._source.scope.resolve(data, Scope())
        return {name: value for name, value in found.__dict__.items() if value}

    def _hide(self, event: Json, paths: Iterable[Sequence[str]]) -> None:
        """Put the pseudonym of a user, or nothing, where *event* names one."""
        for *parents, last in paths:
            holder = event
            for part in parents:
                holder = holder.get(part) if isinstance(holder, dict) else None
            if isinstance(holder, dict) and holder.get(last) is not None:
                holder[last] = user_pseudonym(str(holder[last]), self._secret)

    def _hidden(self, conversation: Conversation) -> Conversation:
        """*conversation* with its user's pseudonym, or without one."""
        if conversation.user is None:
            return conversation
        return conversation.model_copy(update={"user": user_pseudonym(conversation.user, self._secret)})

    def _owned(self, conversation: Conversation, scope: dict[str, str] | None) -> Conversation:
        """*conversation* with its configured scope and namespace."""
        update: dict[str, object] = {}
        resolved = self._source.scope.resolve(None, conversation.scope)
        if scope:
            resolved = resolved.model_copy(update=scope)
        if resolved is not conversation.scope:
            update["scope"] = resolved
        if self._source.namespace:
            update["id"] = self._source.namespace + conversation.id
        return conversation.model_copy(update=update) if update else conversation

    def _quarantine(self, taken: Taken, position: str, error: RecordError, size: int, digest: str) -> None:
        taken.counts["quarantined"] += 1
        taken.quarantined.append(
            Quarantined(self._source.name, position, error.cause, error.message[:500], error.hint, size, digest)
        )
