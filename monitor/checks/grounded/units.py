"""
Units and magnitudes: what stands around a number, in a canonical form, and what converts into what.
"""

from __future__ import annotations

import re
from functools import lru_cache

CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR",
    "euros": "EUR", "£": "GBP", "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "¥": "JPY", "jpy": "JPY", "yen": "JPY",
    "₹": "INR", "inr": "INR", "rupees": "INR", "chf": "CHF", "cad": "CAD", "aud": "AUD", "sek": "SEK", "pln": "PLN",
    "zł": "PLN", "kr": "SEK",
}  # fmt: skip
SCALES = {
    "k": 1e3, "thousand": 1e3, "thousands": 1e3, "tausend": 1e3, "tsd": 1e3, "mille": 1e3, "mil": 1e3, "duizend": 1e3,
    "m": 1e6, "mn": 1e6, "mm": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6,
    "millón": 1e6, "miljoen": 1e6, "milioni": 1e6, "milhões": 1e6, "miljoner": 1e6, "mln": 1e6,
    "bn": 1e9, "b": 1e9, "billion": 1e9, "billions": 1e9, "mrd": 1e9, "md": 1e9, "milliarde": 1e9, "milliarden": 1e9,
    "milliard": 1e9, "milliards": 1e9, "miljard": 1e9, "miliardi": 1e9, "mld": 1e9,
    "trillion": 1e12, "tn": 1e12, "lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7,
    "万": 1e4, "億": 1e8, "亿": 1e8, "हज़ार": 1e3, "लाख": 1e5, "करोड़": 1e7,
}  # fmt: skip
PERCENT, POINTS, BASIS, TIMES = "percent", "points", "basis_points", "times"
_NAMES = {
    PERCENT: "% percent per cent pct prozent pourcent procent por ciento percento por cento",
    POINTS: "pp ppt pts percentage point percentage points prozentpunkte points de pourcentage puntos porcentuales",
    BASIS: "bps bp basis points",
    TIMES: "x × times -fold fold mal fois veces keer",
    "s": "s sec secs second seconds sekunde sekunden seconde secondes segundos",
    "ms": "ms millisecond milliseconds",
    "min": "min mins minute minutes minuten minuto minutos minuti",
    "h": "h hr hrs hour hours stunde stunden heure heures hora horas uur ore",
    "d": "day days tag tage tagen jour jours día días dagen dag",
    "km": "km kilometres kilometers kilometer",
    "mi": "mile miles",
    "kg": "kg kilogram kilograms kilogramm",
    "t": "tonne tonnes tons",
}
CONVERSIONS: dict[tuple[str, str], float] = {
    ("s", "min"): 1 / 60, ("s", "h"): 1 / 3600, ("min", "h"): 1 / 60, ("h", "min"): 60.0, ("min", "s"): 60.0,
    ("h", "s"): 3600.0, ("h", "d"): 1 / 24, ("d", "h"): 24.0, ("ms", "s"): 1e-3, ("s", "ms"): 1e3, ("min", "d"): 1 / 1440,
    ("kg", "t"): 1e-3, ("t", "kg"): 1e3, ("ratio", PERCENT): 100.0, ("ratio", BASIS): 1e4, (PERCENT, BASIS): 100.0,
    (PERCENT, "ratio"): 0.01, (PERCENT, POINTS): 1.0, ("ratio", POINTS): 100.0, ("ratio", TIMES): 1.0,
}  # fmt: skip
"""(unit of the evidence, unit of the figure) -> factor."""

_SPACE = "[ \u00a0\u202f]?"
_PHRASES = ("percentage points", "percentage point", "per cent", "por ciento", "por cento", "basis points",
            "points de pourcentage", "puntos porcentuales")  # fmt: skip
_WORDS: dict[str, str] = {word: unit for unit, names in _NAMES.items() for word in names.split()}
for _phrase in _PHRASES:
    _WORDS[_phrase] = POINTS if "po" in _phrase[:3] or "points" in _phrase or "point" in _phrase else PERCENT
_WORDS.update({"basis points": BASIS, "por ciento": PERCENT, "por cento": PERCENT, "per cent": PERCENT})
for _noise in ("per", "cent", "por", "ciento", "cento", "de", "point", "points", "puntos", "percentage", "pourcentage",
               "porcentuales", "basis"):  # fmt: skip
    _WORDS.pop(_noise, None)
_WORDS.update({word: code for word, code in CURRENCIES.items()})


def _alternatives(words: dict[str, object] | dict[str, str] | dict[str, float]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_UNIT = re.compile(rf"{_SPACE}(?P<unit>-?(?:{_alternatives(_WORDS)}))(?![^\W_])(?!-[A-Za-z])", re.IGNORECASE)
_SYMBOL = re.compile(rf"{_SPACE}(?P<unit>[%‰€£¥$₹])")
_SCALE = re.compile(rf"(?:{_SPACE}(?P<scale>{_alternatives(SCALES)})\.?(?![^\W_])|(?P<cjk>[万億亿]))", re.IGNORECASE)
_ONLY_GLUED = {"m", "b", "k", "s", "h", "x", "t", "mil"}
"""Single letters count only when they touch the number (``5m``), or, in capitals, after a space (``5 M``)."""


def currency(symbol: str) -> str:
    """The ISO code of a currency symbol or code, or an empty string."""
    return CURRENCIES.get(symbol.strip().lower(), "")


def scale_after(text: str, position: int) -> tuple[float, int]:
    """(factor, end) of a magnitude that follows *position*; (1, position) when there is none."""
    found = _SCALE.match(text, position)
    if not found:
        return 1.0, position
    word = found["scale"] or found["cjk"]
    glued = found.start("scale") == position
    if word.lower() in _ONLY_GLUED and not glued and not (word.isupper() and word != "X"):
        return 1.0, position
    return SCALES[word.lower()], found.end()


def unit_after(text: str, position: int) -> tuple[str, int]:
    """(canonical unit, end) of a unit that follows *position*; ("", position) when there is none."""
    symbol = _SYMBOL.match(text, position)
    if symbol:
        return {"%": PERCENT, "‰": "permille"}.get(symbol["unit"]) or currency(symbol["unit"]), symbol.end()
    found = _UNIT.match(text, position)
    if not found:
        return "", position
    word = found["unit"].lower()
    word = word if word in _WORDS else word.lstrip("-")
    if word in _ONLY_GLUED and found.start("unit") != position:
        return "", position
    return _WORDS[word], found.end()


@lru_cache(maxsize=4096)
def column_unit(name: str, unit: str | None) -> str:
    """The canonical unit of a column, from its declared *unit*, else from the last words of its *name*; "" if unknown."""
    declared = (unit or "").strip().lower()
    if declared:
        if declared in ("ratio", "fraction", "share"):
            return "ratio"
        if declared in _WORDS:
            return _WORDS[declared]
        return declared
    words = re.split(r"[^a-z0-9%$€£]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower())
    for word in reversed([word for word in words if word]):
        if word in ("pct", "percent", "percentage", "%"):
            return PERCENT
        if word in ("eur", "usd", "gbp", "chf", "jpy", "inr", "min", "mins", "minutes", "hours", "seconds", "days", "ms",
                    "km", "kg", "sek", "pln", "$", "€", "£"):  # fmt: skip
            return _WORDS[word]
    return ""


def factor(evidence: str, figure: str) -> float | None:
    """What turns a value in unit *evidence* into one in unit *figure*; None when they cannot be the same thing."""
    if evidence == figure or not figure or not evidence:
        return 1.0
    return CONVERSIONS.get((evidence, figure))
