"""
Units and magnitudes: what stands around a number, in a canonical form, and what converts into what.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

CLOCK = frozenset(["s", "min", "h", "d"])
"""Units of durations."""
PERCENT, POINTS, BASIS, TIMES = "percent", "points", "basis_points", "times"

_CURRENCIES = {
    "USD": "$ us$ usd us_dollars us_dollar dollar dollars dólares dolares dollari dólar dolarów ドル 美元 دولار", "GBP": "£ gbp pound pounds libras",
    "EUR": "€ eur euro euros ユーロ 欧元 यूरो يورو", "JPY": "jpy yen 円 日元", "INR": "₹ inr rs rupees rupee रुपये रुपए रुपया रु",
    "CHF": "chf franken fr sfr", "CAD": "cad", "AUD": "aud", "CNY": "cny rmb yuan 元 人民币", "SEK": "sek kronor",
    "PLN": "pln zł złotych złote zl", "MXN": "mxn pesos", "BRL": "brl r$ reais", "NOK": "nok", "DKK": "dkk",
    "¥": "¥ ￥", "kr": "kr", "AED": "aed درهم درهما درهمًا دراهم", "SAR": "sar ريال ريالا", "EGP": "egp جنيه", "KRW": "krw 원",
}  # fmt: skip
_SHARED = {"¥": ("JPY", "CNY"), "kr": ("SEK", "NOK", "DKK")}
"""Signs that more than one currency is written with."""
_SCALES = {
    1e3: "k thousand thousands tausend tsd mille milliers mil mila duizend tusen tys tysięcy tysiące tysiąc milhares miles milhar millares duizenden tusental tausende t€ 千 हज़ार हज़ार हजार "
         "ألف آلاف",
    1e4: "万 萬",
    1e5: "lakh lakhs lac lacs लाख",
    1e6: "m mn mio million millions millionen millones millón miljoen milioni milione milhões milhão miljoner miljon mln "
         "milionów miliony miliona मिलियन 百万 مليون ملايين",
    1e7: "crore crores करोड़ करोड़ करोड 千万",
    1e8: "億 亿",
    1e9: "bn b billion billions mrd md mds mdr milliarde milliarden milliard milliards miljard miliardi miliardo mld bilhões bilhão "
         "miljarder miliardów miliardy miliarda अरब 十億 十亿 مليار مليارات",
    1e12: "trillion trillions tn billionen billones bio trilhões biljoen 兆 万亿 万億",
}  # fmt: skip
_NAMES = {
    PERCENT: "% percent pct prozent pourcent procent proc percento por_ciento por_cento per_cent per_cento pour_cent percentuale "
             "パーセント प्रतिशत फीसदी फ़ीसदी بالمئة بالمائة",
    POINTS: "pp ppt ppts pts point points percentage_point percentage_points prozentpunkt prozentpunkte prozentpunkten "
            "%-punkte %-punkten %punkte points_de_pourcentage point_de_pourcentage puntos_porcentuales punto_porcentual punto puntos "
            "procentpunt procentpunten percentagepunt percentagepunten procentenhet procentenheter %-enheter punkte pontos "
            "pontos_percentuais ponto_percentual punti punti_percentuali punto_percentuale punkter punkty_procentowe "
            "punktów_procentowych punktu_procentowego pkt_proc p.p ポイント パーセントポイント %ポイント 个百分点 百分点 प्रतिशत_अंक",
    BASIS: "bps bp basis_points basis_point basispunkte basispunten points_de_base puntos_básicos",
    TIMES: "x × times -fold fold mal fois veces keer maal gånger vezes volte razy -fach -fache fach 倍 गुना",
    "permille": "‰ promille pour_mille per_mille por_mil permil",
    "ppm": "ppm",
    "s": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos seconden sekunder secondi secondo sek sekund "
         "sekundy 秒 秒間 सेकंड",
    "ms": "ms millisecond milliseconds",
    "min": "min mins minute minutes minuten minuto minutos minuti minuter minut minuty minuut 分 分钟 分間 मिनट",
    "h": "h hr hrs hour hours stunde stunden std heure heures hora horas uur uren ore ora timmar timme godzin godziny godzina 小时 時間 "
         "घंटे घंटा",
    "d": "day days business_days business_day working_days working_day calendar_days calendar_day tag tage tagen jour jours día días dia dias giorni giorno dagen dagar dag dygn dni dzień 天 日間 दिन",
    "km": "km kilometres kilometers kilometer", "mi": "mile miles", "m": "metre metres meter meters m",
    "kg": "kg kilo kilos 公斤 千克 kilogram kilograms kilogramm", "t": "tonne tonnes ton tons tonnen tonelada toneladas tonnellate ton tonn 吨 噸 トン طن t", "ha": "ha hectares hektar hectare",
    "Wh": "wh", "kWh": "kwh", "MWh": "mwh", "GWh": "gwh", "MW": "mw", "kW": "kw",
    "mm": "mm millimetre millimetres millimeter millimeters", "cm": "cm centimetre centimetres centimeter centimeters",
    "Hz": "hz hertz", "kHz": "khz", "MHz": "mhz", "GHz": "ghz", "hPa": "hpa", "mAh": "mah", "MP": "mp megapixel megapixels",
    "mg": "mg", "mL": "ml", "kB": "kb",
    "MB": "mb", "GB": "gb", "TB": "tb", "°C": "°c ℃", "°F": "°f ℉", "L": "litres liters liter litre",
    "cent": "cent cents eurocent centime centimes céntimo céntimos",
    "क्विंटल": "क्विंटल",
}  # fmt: skip
_SCALED = {
    "mkr": (1e6, "kr"), "mnkr": (1e6, "kr"), "mdkr": (1e9, "kr"), "mdrkr": (1e9, "kr"), "tkr": (1e3, "kr"), "ksek": (1e3, "SEK"),
    "msek": (1e6, "SEK"), "meur": (1e6, "EUR"), "keur": (1e3, "EUR"), "teur": (1e3, "EUR"), "割": (10.0, PERCENT), "成": (10.0, PERCENT),
}  # fmt: skip
"""A magnitude and a unit in one word."""
_LINEAR = {
    "time": {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0},
    "mass": {"kg": 1.0, "t": 1e3},
    "energy": {"Wh": 1.0, "kWh": 1e3, "MWh": 1e6, "GWh": 1e9},
    "power": {"kW": 1.0, "MW": 1e3},
    "bytes": {"kB": 1e-3, "MB": 1.0, "GB": 1e3, "TB": 1e6},
    "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    "frequency": {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "share": {"ratio": 1.0, PERCENT: 0.01, "permille": 1e-3, BASIS: 1e-4, "ppm": 1e-6},
    "gap": {"ratio": 1.0, PERCENT: 0.01, POINTS: 0.01, BASIS: 1e-4},
}
_ONLY_GLUED = frozenset(["m", "b", "s", "h", "t", "md", "d"])
"""Short words that count as a magnitude or unit only when they touch the number, or, as magnitudes, in capitals."""
_DOTTED = frozenset("mio mrd bio tsd mn mln mld std tys approx sek min proc pkt cr".split())


def _inverted(table: dict[str, str]) -> dict[str, str]:
    return {word.replace("_", " "): name for name, words in table.items() for word in words.split()}


CURRENCIES = _inverted(_CURRENCIES)
CURRENCY_CODES = frozenset(_CURRENCIES)
SCALES: dict[str, float] = {word.replace("_", " "): scale for scale, words in _SCALES.items() for word in words.split()}
_WORDS: dict[str, str] = {**_inverted(_NAMES), **CURRENCIES}
_PHRASES: dict[str, list[str]] = {}
"""Units of more than one word, by their first."""
for _phrase in sorted((word for word in _WORDS if " " in word), key=len, reverse=True):
    _PHRASES.setdefault(_phrase.split()[0], []).append(_phrase)
_FACTORS: dict[tuple[str, str], float] = {
    (a, b): x / y for family in _LINEAR.values() for a, x in family.items() for b, y in family.items() if a != b
}
_FACTORS.update({(code, sign): 1.0 for sign, codes in _SHARED.items() for code in codes})
_FACTORS.update({(code, "cent"): 100.0 for code in ("EUR", "USD", "CAD", "AUD")})
_FACTORS.update({("ratio", TIMES): 1.0, (PERCENT, TIMES): 0.01, (POINTS, PERCENT): 1.0})
TO_UNIT: dict[str, list[tuple[str, float]]] = {}
"""For each unit of a figure, the units of evidence that convert into it, with their factors."""
for (_from, _to), _factor in _FACTORS.items():
    TO_UNIT.setdefault(_to, []).append((_from, _factor))
_KNOWN = frozenset(_WORDS.values()) | {"ratio"}

_LETTERS = "(?:[\u0900-\u097f]{1,40}|(?:[^\\W\\d_]|[\u064b-\u0652]){1,40})"
_WORD = re.compile(f"[ \u00a0\u202f]?(-?{_LETTERS})")
_LINKED = re.compile(f"[ \u00a0\u202f](?:(?:de|di|of) |d['’])({_LETTERS})")
"""What links a magnitude to a currency (*2,5 millones de euros*)."""
_CJK = "\u3040-\u30ff\u4e00-\u9fff"
_CJK_UNIT = re.compile(
    f"[ \u00a0]?({'|'.join(sorted((w for w in _WORDS if re.match(f'%?[{_CJK}]', w)), key=len, reverse=True))})"
)
_CJK_SCALE = re.compile("|".join(sorted((w for w in SCALES if re.match(f"[{_CJK}]", w)), key=len, reverse=True)))
_TENTH = frozenset("割成")
_TENTHS = re.compile(f"割(?!引)|成(?![{_CJK}])|成(?=[的以左])")
_RATE = re.compile("\\s?/\\s?([\u0900-\u097f]{1,20}|[^\\W\\d_]{1,12})")
_PERCENT_POINTS = tuple(sorted((word for word in _WORDS if word[0] == "%" and len(word) > 1), key=len, reverse=True))
_SYMBOLS = "%‰€£¥￥$₹°×℃℉"
_SPACES = " \u00a0\u202f"


_ENDS = frozenset(".,;:)]|\n!?\"'")
_PRICED = {"mi": 1e6, "cr": 1e7, "bi": 1e9, "tri": 1e12}
"""Magnitudes after an amount of money only."""
_FIRST_WORDS = (
    frozenset(_PRICED)
    | frozenset(word.split()[0] for word in _WORDS)
    | frozenset(SCALES)
    | frozenset(_SCALED)
    | frozenset("-" + word for word in _WORDS)
)
"""Words that can begin what belongs to a number; any other word ends the search at once."""


_THOUSAND_MILLIONS = re.compile(" millones\\b")


class After(NamedTuple):
    """What follows a number: the *factor* of its magnitude, its *unit*, and where both end."""

    factor: float
    unit: str
    end: int


def currency(symbol: str) -> str:
    """The ISO code of a currency symbol or code, or an empty string."""
    return CURRENCIES.get(symbol.strip().lower(), "")


def after(text: str, position: int, *, priced: bool = False) -> After:
    """The magnitude and the unit that follow *position* in *text* (``5.7`` **million €**); *priced*: a currency stands before."""
    char = text[position : position + 1]
    if not char or char in _ENDS:
        return After(1.0, "", position)
    if char < "\u0900" and not (priced and char in " /"):
        found = _WORD.match(text, position)
        if found:
            word = found[1].lower()
            if word not in _FIRST_WORDS:
                return After(1.0, "", position)
            if word in _SCALED:
                return After(*_SCALED[word], found.end())
    elif char in _TENTH and _TENTHS.match(text, position):
        return After(*_SCALED[char], position + 1)
    factor, end = _scale(text, position, priced=priced)
    unit, end = _unit(text, end)
    if factor != 1.0 and not unit:
        linked = _LINKED.match(text, end)
        if linked and linked[1].lower() in CURRENCIES:
            return After(factor, CURRENCIES[linked[1].lower()], linked.end())
    if (unit or priced) and "/" in text[end : end + 2]:
        rate = _RATE.match(text, end)
        if (
            rate
            and (priced or unit in CURRENCY_CODES or rate[1].lower() in _WORDS)
            and not text[rate.end() : rate.end() + 1].isalnum()
        ):
            per = _WORDS.get(rate[1].lower(), rate[1])
            return After(factor, f"{unit}/{per}", rate.end())
    return After(factor, unit, end)


def _scale(text: str, position: int, *, priced: bool) -> tuple[float, int]:
    found = _CJK_SCALE.match(text, position)
    if found:
        return SCALES[found[0]], found.end()
    word_found = _WORD.match(text, position)
    if not word_found:
        return 1.0, position
    written = word_found[1]
    word, end = written.lower(), word_found.end()
    if word == "mil" and _THOUSAND_MILLIONS.match(text, end):
        return 1e9, end + len(" millones")
    if priced and word in _PRICED:
        return _PRICED[word], end
    if word not in SCALES:
        return 1.0, position
    following = text[end : end + 2].lstrip()[:1]
    glued = word_found.start(1) == position
    if word in _ONLY_GLUED and not glued and not written.isupper() and following not in tuple("€$£"):
        counted = word in ("m", "md") and _unit(text, end)[0]
        return (SCALES[word], end) if counted else (1.0, position)
    if glued and len(word) == 1 and following == "/":
        return 1.0, position
    if word in _DOTTED and text[end : end + 1] == ".":
        end += 1
    if text[end : end + 1] in "_-" and text[end + 1 : end + 2].isalnum():
        return 1.0, position
    return SCALES[word], end


def _unit(text: str, position: int) -> tuple[str, int]:
    start = position + (text[position : position + 1] in _SPACES and position < len(text))
    symbol = text[start : start + 1]
    if symbol and symbol in _SYMBOLS:
        return _symbol(text, start, position)
    cjk = _CJK_UNIT.match(text, position)
    if cjk:
        return _WORDS[cjk[1]], cjk.end()
    found = _WORD.match(text, position)
    if not found:
        return "", position
    word, end = found[1].lower(), found.end()
    for phrase in _PHRASES.get(word, ()):
        if text[found.start(1) : found.start(1) + len(phrase)].lower() == phrase:
            return _WORDS[phrase], found.start(1) + len(phrase)
    if word in _LINEAR["length"] and text[end : end + 1] in ("³", "²", "2", "3"):
        return "", position
    if word not in _WORDS:
        word = word.lstrip("-")
        if word not in _WORDS:
            return "", position
    if word in _ONLY_GLUED and found.start(1) != position and word not in ("h", "t", "s"):
        return "", position
    if text[end : end + 1] in "_-" and text[end + 1 : end + 2].isalnum():
        return "", position
    if word in _DOTTED and text[end : end + 1] == "." and text[end + 1 : end + 3].strip()[:1].islower():
        end += 1
    return _WORDS[word], end


def _symbol(text: str, start: int, position: int) -> tuple[str, int]:
    symbol = text[start]
    if symbol == "°":
        degree = text[start : start + 2].lower()
        return (_WORDS[degree], start + 2) if degree in _WORDS else ("", position)
    if symbol == "×" and text[start + 1 : start + 3].strip()[:1].isdigit():
        return "", position
    if symbol in "$€£¥₹" and text[start + 1 : start + 2].isdigit():
        return "", position
    for points in _PERCENT_POINTS if symbol == "%" else ():
        if text[start : start + len(points)].lower() == points:
            return POINTS, start + len(points)
    return _WORDS[symbol], start + 1


class ColumnUnit(NamedTuple):
    """What a column's values are in: a canonical *unit* ("" unknown) and what they are multiplied with to be in it."""

    unit: str = ""
    scale: float = 1.0


_SCALED_CURRENCY = re.compile(r"(k|m|mn|bn)(usd|eur|gbp|chf|jpy|inr|cad|aud|sek|pln|mxn|€|\$|£)")
_CJK_SCALED = re.compile(r"([万萬億亿千])(\w{1,3})")
_NAME_SPLIT = re.compile(r"[^\w%$€£]+|_")
_CAMEL = re.compile(r"([a-z])([A-Z])")
_TIMED = frozenset(
    "delay delays wait waiting time duration dauer trip travel attente espera wacht response latency handling talk late gem".split()
)
"""Words beside which ``min`` in a column's name means minutes rather than the lowest value."""
_NAME_UNITS = frozenset(
    "eur usd gbp chf jpy inr cad aud sek pln mxn cny min mins minutes hours seconds days ms km kg kwh mwh gwh ha ppm".split()
)
_BRACKETED = re.compile(r"\(\s?([^\W\d_]{1,12}(?:\s?/\s?[^\W\d_]{1,12})?)\s?\)\s*$")
_UNCLEAR = frozenset("m b k s h d x mil md min pp pts points point second seconds fold times mal day days".split())
"""Words in brackets behind a column's name that may be no unit, or a magnitude."""


def _of_brackets(words: str) -> str:
    """The unit that stands in brackets behind a column's name (``distance (km)``); "" where it may be something else."""
    if words in _UNCLEAR or words in SCALES:
        return ""
    top, _, per = (part.strip() for part in words.partition("/"))
    if top not in _WORDS or (per and per not in _WORDS):
        return ""
    return f"{_WORDS[top]}/{_WORDS[per]}" if per else _WORDS[top]


_PER = frozenset(["per", "pro", "par", "por"])


@lru_cache(maxsize=1024)
def column_unit(name: str, declared: str | None) -> ColumnUnit:
    """Unit and scale of a column: as *declared* (``kUSD``, ``thousand passengers``), else as its *name* says."""
    if declared and declared.strip():
        return _declared(declared.strip())
    bracketed = _BRACKETED.search(name)
    if bracketed and (unit := _of_brackets(bracketed[1].lower())):
        return ColumnUnit(unit)
    words = [word for word in _NAME_SPLIT.split(_CAMEL.sub(r"\1_\2", name).lower()) if word]
    if "min" in words and _TIMED.isdisjoint(words):
        words = [word for word in words if word != "min"]
    rate = _rate_of(words)
    if rate:
        return ColumnUnit(rate)
    scale = SCALES[words[-1]] if len(words) > 2 and words[-1] in ("k", "m", "mn", "bn") else 1.0
    for index, word in enumerate(reversed(words)):
        if word in ("pct", "percent", "percentage", "%"):
            return ColumnUnit(PERCENT)
        if word in _NAME_UNITS or word in "$€£":
            return ColumnUnit(_WORDS[word], scale)
        scaled = _SCALED_CURRENCY.fullmatch(word)
        if scaled:
            return ColumnUnit(currency(scaled[2]), SCALES[scaled[1]])
        if word in SCALES and (len(word) > 2 or word == "mn"):
            return ColumnUnit("", SCALES[word])
        if index == 0 and word == "k" and len(words) > 1:
            return ColumnUnit("", 1e3)
    return ColumnUnit()


def _rate_of(words: list[str]) -> str:
    """The rate that a column's name ends with: one unit per another (``price eur per mwh``), or a currency and a unit of things (``eur kwh``)."""
    for index in range(len(words) - 1):
        top, rest = words[index], [word for word in words[index + 1 :] if word not in _PER]
        if top in _NAME_UNITS and len(rest) == 1 and rest[0] in _WORDS and rest[0] not in CURRENCIES:
            paid = _WORDS[top] in CURRENCY_CODES
            if words[index + 1] in _PER or (paid and rest[0] in _NAME_UNITS):
                return f"{_WORDS[top]}/{_WORDS[rest[0]]}"
    return ""


def _declared(declared: str) -> ColumnUnit:
    lower = declared.lower()
    if lower in ("ratio", "fraction", "share", "proportion"):
        return ColumnUnit("ratio")
    if lower.startswith("%"):
        return ColumnUnit(PERCENT)
    if lower in _WORDS or lower == "l":
        return ColumnUnit(_WORDS.get(lower, "L"))
    if "/" in declared:
        top, _, per = declared.partition("/")
        above = _declared(top.strip())
        return ColumnUnit(f"{above.unit or top.strip()}/{_WORDS.get(per.strip().lower(), per.strip())}", above.scale)
    scaled = _SCALED_CURRENCY.fullmatch(lower) or _CJK_SCALED.fullmatch(lower)
    if scaled and scaled[2] in _WORDS:
        return ColumnUnit(_WORDS[scaled[2]], SCALES[scaled[1]])
    words = lower.split()
    scales = [SCALES[word] for word in words if word in SCALES and len(word) > 1]
    if scales:
        rest = [_WORDS.get(word, word) for word in words if word not in SCALES]
        return ColumnUnit(rest[0] if rest else "", scales[0])
    return ColumnUnit(declared)


_CALLED = {PERCENT: "%", POINTS: "percentage points", BASIS: "basis points", "ratio": "as a ratio", "permille": "‰"}


def called(unit: str) -> str:
    """What people call a canonical unit."""
    return _CALLED.get(unit, unit)


def known(unit: str) -> bool:
    """Whether *unit* is one that this module knows, rather than a noun such as ``flights``."""
    return unit.partition("/")[0] in _KNOWN


@lru_cache(maxsize=4096)
def factor(evidence: str, figure: str) -> float | None:
    """What turns a value in unit *evidence* into one in unit *figure*; None when they cannot be the same thing."""
    if evidence == figure or not figure or not evidence:
        return 1.0
    direct = _FACTORS.get((evidence, figure))
    if direct is not None:
        return direct
    (top, _, per), (other, _, other_per) = evidence.partition("/"), figure.partition("/")
    if top == other and (not per or not other_per or per.rstrip("s") == other_per.rstrip("s")):
        return 1.0
    return None


def is_money(unit: str) -> bool:
    """Whether *unit* is a currency."""
    return unit.partition("/")[0] in CURRENCY_CODES
