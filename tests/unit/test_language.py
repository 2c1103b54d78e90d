"""The language of a text, told by script and function words."""

from __future__ import annotations

import pytest

from monitor.language import language


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Aurora had the most flights of all and was late in May."),
        ("de", "Die meisten Flüge hatte Aurora, und sie waren nicht pünktlich."),
        ("fr", "Les vols de la compagnie étaient en retard pour le mois de mai."),
        ("es", "Los vuelos de la compañía fueron más puntuales que en mayo."),
        ("nl", "De meeste vluchten waren van Aurora en het was niet op tijd."),
        ("it", "I voli della compagnia sono stati in ritardo nel mese di maggio."),
        ("pt", "Os voos da companhia foram mais pontuais do que em maio."),
        ("sv", "De flesta flygningar var från Aurora och det var inte i tid."),
        ("pl", "Loty w maju były opóźnione i nie było ich do czerwca."),
        ("ja", "札幌の売上は3億円です。"),
        ("zh", "成都订单最多。"),
        ("hi", "इंदौर में गेहूँ आया"),
        ("ar", "كانت الرحلات متأخرة"),
        ("en", "The branch in 函館 had the most visitors of the month."),
        ("ja", "NPSは58、CTRは0.4%です。"),
        ("en", "42"),
        ("en", ""),
    ],
)
def test_a_language_is_told_without_a_model(code: str, text: str) -> None:
    """A sentence is enough; where nothing tells, it is English."""
    assert code == language(text)
