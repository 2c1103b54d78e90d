from __future__ import annotations

import pytest

from monitor import semconv
from monitor.semconv import wire_text


def test_names_of_the_convention_are_those_it_publishes() -> None:
    """The event and its attributes are named as semantic-conventions-genai names them."""
    expected = {
        "EVALUATION_RESULT": "gen_ai.evaluation.result",
        "EVALUATION_NAME": "gen_ai.evaluation.name",
        "EVALUATION_SCORE_VALUE": "gen_ai.evaluation.score.value",
        "EVALUATION_SCORE_LABEL": "gen_ai.evaluation.score.label",
        "EVALUATION_EXPLANATION": "gen_ai.evaluation.explanation",
        "RESPONSE_ID": "gen_ai.response.id",
        "ERROR_TYPE": "error.type",
        "ERROR_TYPE_OTHER": "_OTHER",
        "SCHEMA_URL": "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev",
    }
    assert expected == {name: getattr(semconv, name) for name in expected}


def test_names_of_ours_never_lie_in_a_standard_namespace() -> None:
    """Whatever OpenTelemetry does not define begins with conversation_monitor."""
    standard = {"gen_ai.", "error.", "service."}
    names = [
        value
        for name, value in vars(semconv).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, str) and "." in value and "/" not in value
    ]
    assert [] == [
        name for name in names if not name.startswith("conversation_monitor.") and not name.startswith(tuple(standard))
    ]
    assert 7 == sum(name.startswith("gen_ai.") for name in names) + sum(name.startswith("error.") for name in names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\u202f204 flights – 12,4\u00a0%", "1\u202f204 flights – 12,4\u00a0%"),
        ("two\r\nlines\tand\u2028more", "two  lines and more"),
        ("\x1b[31mred\x00", "\ufffd[31mred\ufffd"),
        ("abc\u202egnp.exe", "abc\ufffdgnp.exe"),
        ("half \ud83d character", "half \ufffd character"),
        ("family 👩\u200d👩\u200d👧", "family 👩\u200d👩\u200d👧"),
        ("", ""),
    ],
)
def test_wire_text_neutralises_what_a_terminal_or_an_encoder_would_trip_over(text: str, expected: str) -> None:
    """Control characters, direction overrides and lone surrogates never reach the wire; numbers and emoji do."""
    assert expected == wire_text(text, 100)
    assert expected == wire_text(text, 100).encode().decode()


def test_wire_text_is_bounded_and_shows_the_cut() -> None:
    """No text is longer than its limit, and a cut one ends in an ellipsis."""
    assert "x" * 10 == wire_text("x" * 10, 10)
    assert "x" * 9 + "…" == wire_text("x" * 11, 10)
