"""The words for a rise and for a fall, language by language."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text import announce
from tests.unit.checks.grounded.turns import result, verdicts

RISES = {
    "en": "rose grew increased climbed jumped improved surged gained up soared",
    "de": "stieg wuchs erhöhte kletterte verbesserte gestiegen zugenommen höher Anstieg",
    "fr": "augmenté progressé crû hausse grimpé amélioré accru",
    "es": "aumentó subió creció mejoró incrementó aumentaron subieron crecieron alza",
    "nl": "steeg groeide verbeterde toegenomen gestegen hoger klom stijging toename",
    "it": "aumentato cresciuto salito crescita migliorato",
    "pt": "aumentou cresceu subiu melhorou alta",
    "sv": "ökade steg växte förbättrades ökning högre",
    "pl": "wzrósł wzrosła wzrosły zwiększył wzrost",
    "ja": "増加 上昇 増えた 伸びた",
    "zh": "增长 上升 增加 提高",
    "hi": "बढ़ा बढ़ी वृद्धि",
    "ar": "ارتفع زيادة",
}
FALLS = {
    "en": "fell declined dropped decreased shrank lost slid slumped plunged down",
    "de": "fiel sank verringerte gesunken gefallen abgenommen zurückgegangen schrumpfte Rückgang niedriger",
    "fr": "baissé diminué reculé chuté baisse réduit",
    "es": "disminuyó bajó cayó redujo descendió disminuyeron bajaron cayeron caída descenso",
    "nl": "daalde kromp verminderde gedaald afgenomen lager daling afname",
    "it": "diminuito calato sceso calo riduzione",
    "pt": "diminuiu caiu reduziu queda redução baixou",
    "sv": "minskade sjönk föll minskning lägre",
    "pl": "spadł spadła spadły zmniejszył spadek",
    "ja": "減少 下降 減った 低下",
    "zh": "下降 减少 降低 下跌",
    "hi": "घटा गिरावट कमी",
    "ar": "انخفض تراجع",
}


@pytest.mark.parametrize("code", RISES)
def test_words_for_a_rise(code: str) -> None:
    """Each is a rise, and none a fall."""
    words = RISES[code].split()
    assert words == [word for word in words if announce.rises(word) and not announce.falls(word)]


@pytest.mark.parametrize("code", FALLS)
def test_words_for_a_fall(code: str) -> None:
    """Each is a fall, and none a rise."""
    words = FALLS[code].split()
    assert words == [word for word in words if announce.falls(word) and not announce.both(word)]


@pytest.mark.parametrize(
    "word",
    [
        "calls",
        "calculated",
        "sales",
        "contract",
        "described",
        "description",
        "California",
        "accruals",
        "surgery",
        "Cayman",
        "Crescent",
    ],
)
def test_words_that_begin_like_a_fall_are_none(word: str) -> None:
    """*Calls* are no *calo*."""
    assert not announce.falls(word)
    assert not announce.both(word)


SENTENCES = {
    "en": ("Aurora's revenue {} by {} %.", "rose", "fell"),
    "de": ("Bei Aurora {} der revenue um {} %.", "stieg", "sank"),
    "fr": ("Le revenue de Aurora a {} de {} %.", "augmenté", "diminué"),
    "es": ("El revenue de Aurora {} un {} %.", "aumentó", "bajó"),
    "nl": ("De revenue van Aurora {} met {} %.", "steeg", "daalde"),
    "it": ("Il revenue di Aurora è {} del {} %.", "aumentato", "calato"),
    "pt": ("A revenue de Aurora {} {} %.", "aumentou", "caiu"),
    "sv": ("Auroras revenue {} med {} %.", "ökade", "minskade"),
    "pl": ("revenue Aurora {} o {} %.", "wzrósł", "spadł"),
    "ja": ("Auroraのrevenueの{}は{}%です。", "増加", "減少"),
    "zh": ("Aurora的revenue{}了{}%。", "增长", "下降"),
    "hi": ("Aurora का revenue {1} % {0}।", "बढ़ा", "घटा"),
}


@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("change", [12.5, -12.5])
@pytest.mark.parametrize("column", [("revenue_change_pct",), ("revenue_2023", "revenue_2024")])
def test_a_change_has_its_direction_in_any_language(code: str, change: float, column: tuple[str, ...]) -> None:
    """A rise that was a fall is wrong, whether the change stands in a cell or follows from two."""
    values = [change] if len(column) == 1 else [200.0, 200.0 + 2 * change]
    known = result(
        ["carrier", *column], ["Aurora", *values], ["Cloudline", *([3.0] if len(column) == 1 else [310.0, 377.7])]
    )
    sentence, rose, fell = SENTENCES[code]
    right, wrong = (rose, fell) if change > 0 else (fell, rose)
    assert [True] == list(verdicts(sentence.format(right, "12.5"), known).values())
    assert [False] == list(verdicts(sentence.format(wrong, "12.5"), known).values())
