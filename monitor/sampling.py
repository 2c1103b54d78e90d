"""
Which turns are checked, and with what probability.

A conversation has a position in [0, 1) that depends on its id (and a rule's cohort) alone; it is kept when the
position is below the rate. Replicas, replays and SQL agree bit for bit, and a lower rate keeps a subset of what
a higher one keeps.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

POSITION_DOMAIN = "conversation-monitor/1"
REVIEW_DOMAIN = "conversation-monitor/review/1"

POSITION_BIGQUERY = (
    "(CAST(CONCAT('0x', TO_HEX(SUBSTR(SHA256(CONCAT(b'conversation-monitor/1\\x00', CAST({cohort} AS BYTES), "
    "b'\\x00', CAST({conversation_id} AS BYTES))), 1, 7))) AS INT64) >> 3) / 9007199254740992"
)
"""The same position as a BigQuery expression: fill in *cohort* and *conversation_id*, two STRING expressions."""


def position(conversation_id: str, cohort: str = "") -> float:
    """
    Where a conversation stands in [0, 1): the first 53 bits of a SHA-256, over 2^53.

    Hashed are the UTF-8 bytes of ``conversation-monitor/1``, NUL, the cohort, NUL, the conversation id. 53 bits
    fit a double exactly. :data:`POSITION_BIGQUERY` computes the same in SQL.
    """
    return _hash_position(POSITION_DOMAIN, cohort, conversation_id)


def review_position(result_id: str, rule: str, day: str) -> float:
    """
    Where a result stands in [0, 1) among those of its rule and day (``YYYY-MM-DD``).

    Independent of :func:`position`, so that the control share and the daily cap of the review queue are samples
    of what was checked and not a slice of the same conversations.
    """
    return _hash_position(REVIEW_DOMAIN, rule, day, result_id)


def keep(position: float, rate: float) -> bool:
    """Say whether what stands at *position* is in a sample of *rate*. Rate 0 keeps nothing, rate 1 everything."""
    return position < rate


def _hash_position(*parts: str) -> float:
    digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:7], "big") >> 3) / (1 << 53)


class ErrorLike(Protocol):
    """An error of a turn; ``kind`` is refusal, recoverable, infrastructure or unknown."""

    @property
    def kind(self) -> str: ...


class FeedbackLike(Protocol):
    """What the person thought of the answer: ``positive``, ``negative`` or None."""

    @property
    def rating(self) -> str | None: ...


class TurnLike(Protocol):
    """What strata look at in a turn."""

    @property
    def errors(self) -> Sequence[ErrorLike]: ...

    @property
    def feedback(self) -> FeedbackLike | None: ...


class ScopeLike(Protocol):
    """What strata look at in a scope."""

    @property
    def agent_version(self) -> str | None: ...


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a rate is a number from 0 to 1, not yes or no: write 1 to keep everything, 0 to keep nothing")
    return value


Rate = Annotated[float, Field(ge=0, le=1), BeforeValidator(_no_bool)]
Predicate = Literal["error", "refusal", "feedback_negative"]

_PREDICATES: dict[str, Callable[[TurnLike], bool]] = {
    "error": lambda turn: bool(turn.errors),
    "refusal": lambda turn: any(error.kind == "refusal" for error in turn.errors),
    "feedback_negative": lambda turn: turn.feedback is not None and turn.feedback.rating == "negative",
}


class AgentVersion(BaseModel):
    """The predicate ``agent_version: [v3, v4]``: the turn is of one of these versions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent_version: tuple[str, ...] = Field(min_length=1)


class Stratum(BaseModel):
    """
    Turns with a sample rate of their own.

    *when*: ``error`` (any error occurred), ``refusal``, ``feedback_negative`` (thumbs down) or
    ``{agent_version: [...]}``. *rate* 0 checks none of them. *name* defaults to the predicate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: Annotated[
        Annotated[Predicate, Tag("predicate")] | Annotated[AgentVersion, Tag("agent_version")],
        Discriminator(lambda when: "predicate" if isinstance(when, str) else "agent_version"),
    ]
    rate: Rate
    name: str = ""

    @field_validator("when", mode="before")
    @classmethod
    def _known(cls, when: Any) -> Any:
        if isinstance(when, AgentVersion | dict) or (isinstance(when, str) and when in _PREDICATES):
            return when
        raise ValueError(f"no such predicate: write {', '.join(_PREDICATES)} or {{agent_version: [...]}}")

    @model_validator(mode="before")
    @classmethod
    def _name_after_predicate(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("name"):
            return data
        when = data.get("when")
        if isinstance(when, str):
            return {**data, "name": when}
        versions = when.get("agent_version") if isinstance(when, dict) else getattr(when, "agent_version", ())
        names = ",".join(map(str, versions)) if isinstance(versions, list | tuple) else str(versions)
        return {**data, "name": f"agent_version:{names}"}

    def matches(self, turn: TurnLike, scope: ScopeLike) -> bool:
        """Say whether the turn belongs here. Pure: the same turn gives the same answer wherever it is asked."""
        if isinstance(self.when, AgentVersion):
            return scope.agent_version in self.when.agent_version
        return _PREDICATES[self.when](turn)


class Sample(BaseModel):
    """
    How large a share of conversations a rule looks at.

    *rate*: 0 looks at none, 1 at all. *strata* are tried in order; the first that matches gives the turn its rate.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate: Rate = 1.0
    strata: tuple[Stratum, ...] = ()

    @model_validator(mode="after")
    def _reachable(self) -> Sample:
        names: set[str] = set()
        before: set[str] = set()
        for stratum in self.strata:
            when = stratum.when if isinstance(stratum.when, str) else ""
            if when in before or (when == "refusal" and "error" in before):
                earlier = when if when in before else "error"
                raise ValueError(
                    f"stratum '{stratum.name}' is never reached: every such turn already belongs to '{earlier}'; "
                    f"put it before '{earlier}' or remove it"
                )
            if stratum.name in names:
                raise ValueError(f"two strata are named '{stratum.name}': give each a name of its own")
            names.add(stratum.name)
            before |= {when} - {""}
        return self


def inclusion(sample: Sample, turn: TurnLike, scope: ScopeLike) -> tuple[str, float]:
    """Return the stratum's name (empty for the rest) and the probability with which the turn is kept."""
    for stratum in sample.strata:
        if stratum.matches(turn, scope):
            return stratum.name, stratum.rate
    return "", sample.rate
