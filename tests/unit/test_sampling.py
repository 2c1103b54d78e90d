"""Tests of sampling: the same conversations everywhere, and known inclusion probabilities."""

from __future__ import annotations

import hashlib
import statistics
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from monitor.conversation import AgentError, Feedback, Scope, Turn
from monitor.sampling import POSITION_BIGQUERY, Sample, Stratum, inclusion, keep, position, review_position


@dataclass(frozen=True)
class Case:
    conversation_id: str
    cohort: str
    digest: str
    position: float


# Digests from `printf 'conversation-monitor/1\0<cohort>\0<id>' | sha256sum`.
GOLDEN = [
    Case("conv-0001", "", "d015a5b879da0b4264859449f61cf516c3eefb4f1c2ba984658af44437271b53", 0.8128303122883623),
    Case("conv-0001", "second", "bec2f89eff91981e802ce4265433555feefbdf4f0aa43a779700b0a6bd922521", 0.7451625240497094),
    Case("Zürich ✈ 7", "", "0e4691b8d87031c6b5e591cf90ef582934e9eca0b930d57f33207e1a99114758", 0.05576430094555529),
]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case.cohort}/{case.conversation_id}")
def test_position_is_frozen(case: Case) -> None:
    """The position of a conversation never changes: not with a release, not between machines."""
    assert case.position == position(case.conversation_id, case.cohort)
    assert case.position == (int(case.digest[:14], 16) >> 3) / 2**53
    text = f"conversation-monitor/1\0{case.cohort}\0{case.conversation_id}"
    assert case.digest == hashlib.sha256(text.encode()).hexdigest()


def test_position_reads_the_first_53_bits() -> None:
    """The position is the digest's first 53 bits as a binary fraction."""
    bits = "".join(f"{byte:08b}" for byte in hashlib.sha256(b"conversation-monitor/1\0\0abc").digest())
    assert int(bits[:53], 2) / 2**53 == position("abc")


@given(st.text(), st.text(max_size=5), st.floats(0, 1), st.floats(0, 1))
def test_lower_rate_keeps_a_subset(conversation_id: str, cohort: str, one: float, other: float) -> None:
    """Raising a rate only adds conversations; lowering it only takes some away."""
    place = position(conversation_id, cohort)
    low, high = sorted((one, other))
    assert 0 <= place < 1
    assert keep(place, high) or not keep(place, low)
    assert (False, True) == (keep(place, 0.0), keep(place, 1.0))


def test_rate_is_the_share_kept() -> None:
    """A rate of 0.1 keeps about a tenth, evenly spread."""
    places = [position(f"conversation {n}") for n in range(20_000)]
    assert 0.1 == pytest.approx(sum(keep(place, 0.1) for place in places) / len(places), abs=0.01)
    assert 0.5 == pytest.approx(statistics.fmean(places), abs=0.01)


def test_cohorts_and_review_draw_independently() -> None:
    """Another cohort, and the review sample, choose without regard to the first choice."""
    first = [position(f"c{n}") for n in range(10_000)]
    cohort = [position(f"c{n}", "second") for n in range(10_000)]
    review = [review_position(f"c{n}", "", "") for n in range(10_000)]
    for other in (cohort, review):
        both = sum(keep(a, 0.3) and keep(b, 0.3) for a, b in zip(first, other, strict=True))
        assert 0.09 == pytest.approx(both / 10_000, abs=0.012)


def test_review_position_is_frozen() -> None:
    """The review sample is as reproducible as the other one, with a domain of its own."""
    digest = hashlib.sha256(b"conversation-monitor/review/1\0grounded\x002026-03-01\0r1").hexdigest()
    assert (int(digest[:14], 16) >> 3) / 2**53 == review_position("r1", "grounded", "2026-03-01")
    assert "0.46795598265372373" == f"{review_position('r1', 'grounded', '2026-03-01'):.17g}"


def test_position_accepts_lone_surrogates() -> None:
    """A hostile id has a position like any other and raises nothing."""
    assert 0 <= position("\ud800") < 1


def test_bigquery_expression_hashes_the_same_bytes() -> None:
    """The SQL text carries the same domain, separators, bits and divisor as the code."""
    sql = POSITION_BIGQUERY.format(cohort="''", conversation_id="session_id")
    assert r"CONCAT(b'conversation-monitor/1\x00', CAST('' AS BYTES), b'\x00', CAST(session_id AS BYTES))" in sql
    assert "1, 7)" in sql
    assert sql.endswith(f">> 3) / {2**53}")


REFUSED = AgentError(code="fan_out", kind="refusal")
TIMEOUT = AgentError(code="timeout", kind="infrastructure")
SAMPLE = Sample.model_validate(
    {
        "rate": 0.05,
        "strata": [
            {"when": "refusal", "rate": 1},
            {"when": "error", "rate": 0.5},
            {"when": "feedback_negative", "rate": 0.8, "name": "thumbs down"},
            {"when": {"agent_version": ["v3", "v4"]}, "rate": 0.25},
        ],
    }
)


@pytest.mark.parametrize(
    ("expected", "turn", "version"),
    [
        (("", 0.05), Turn(id="t"), ""),
        (("", 0.05), Turn(id="t", feedback=Feedback(rating="positive")), "v2"),
        (("", 0.05), Turn(id="t", feedback=Feedback(comment="hm")), "v2"),
        (("refusal", 1.0), Turn(id="t", errors=(TIMEOUT, REFUSED)), "v3"),
        (("error", 0.5), Turn(id="t", errors=(TIMEOUT,), feedback=Feedback(rating="negative")), ""),
        (("thumbs down", 0.8), Turn(id="t", feedback=Feedback(rating="negative")), "v4"),
        (("agent_version:v3,v4", 0.25), Turn(id="t"), "v4"),
    ],
)
def test_first_matching_stratum_gives_the_probability(expected: tuple[str, float], turn: Turn, version: str) -> None:
    """A turn's inclusion probability is the rate of the first stratum that matches, else the base rate."""
    assert expected == inclusion(SAMPLE, turn, Scope(agent_version=version))


def test_sample_keeps_everything_unless_told() -> None:
    """A rule that says nothing about sampling looks at every turn."""
    assert ("", 1.0) == inclusion(Sample(), Turn(id="t"), Scope())


def test_sample_survives_its_own_dump() -> None:
    """A sample that is written out and read again is the same sample."""
    assert SAMPLE == Sample.model_validate(SAMPLE.model_dump())
    assert SAMPLE == Sample.model_validate_json(SAMPLE.model_dump_json())


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"rate": 1.5}, "less than or equal to 1"),
        ({"rate": -0.1}, "greater than or equal to 0"),
        ({"rate": float("nan")}, "than or equal to"),
        ({"rate": True}, "not yes or no"),
        ({"rates": 0.5}, "Extra inputs"),
        (
            {"rate": 0.5, "strata": [{"when": "slow", "rate": 1}]},
            "write error, refusal, feedback_negative or {agent_version",
        ),
        ({"rate": 0.5, "strata": [{"when": ["error"], "rate": 1}]}, "no such predicate"),
        ({"rate": 0.5, "strata": [{"when": {"agent": ["v1"]}, "rate": 1}]}, "agent_version"),
        ({"rate": 0.5, "strata": [{"when": {"agent_version": []}, "rate": 1}]}, "at least 1 item"),
        ({"rate": 0.5, "strata": [{"when": "error"}]}, "Field required"),
        (
            {"strata": [{"when": "error", "rate": 1}, {"when": "refusal", "rate": 1}]},
            "put it before 'error' or remove it",
        ),
        (
            {"strata": [{"when": "error", "rate": 1}, {"when": "error", "rate": 1, "name": "again"}]},
            "'again' is never reached",
        ),
        (
            {"strata": [{"when": "refusal", "rate": 1, "name": "x"}, {"when": "error", "rate": 1, "name": "x"}]},
            "two strata are named 'x'",
        ),
    ],
)
def test_wrong_samples_are_refused_with_the_remedy(data: dict[str, object], says: str) -> None:
    """A mistake in a sample stops the start and says what to write instead."""
    with pytest.raises(ValidationError) as raised:
        Sample.model_validate(data)
    assert says in str(raised.value)


def test_samples_are_frozen() -> None:
    """A sample that rules share can't be changed under them."""
    with pytest.raises(ValidationError):
        Stratum(when="error", rate=1.0).rate = 0.5  # type: ignore[misc]
