"""
Numbers in Chinese characters: ``三十五人``, ``二億三千万``, ``百分之十二``.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.text import bounds, units
from monitor.checks.grounded.text.quantity import Figure, Reading

_DIGITS = {
    char: value
    for value, chars in enumerate(["〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九"])
    for char in chars
}
_TENS = {"十": 10, "百": 100, "千": 1000}
_SCALES = {"万": 10_000, "萬": 10_000, "億": 100_000_000, "亿": 100_000_000}
_ALL = "".join([*_DIGITS, *_TENS, *_SCALES])
_NUMBER = re.compile(
    rf"(?<![\d第数几幾多{_ALL}])(百分之)?([{''.join([*_DIGITS, *_TENS])}][{_ALL}]{{0,20}})"
    rf"(?:[点點]([{''.join(_DIGITS)}]{{1,9}}))?(?!\d)"
)
_COUNTER = re.compile(
    r"\s?(?:[人名个個件家次回天位台本社店校点項项条種种类類笔票倍割元円%％つ]|か月|ヶ月|カ月|ヵ月|年間|パーセント|ポイント|季度連続|周|週間)"
)
_NOT = frozenset(["十分", "一人", "一次", "一个", "一個", "一件", "一回", "一部", "一点"])
"""Words rather than numbers."""


def find_numerals(text: str, clean: str, most: int) -> list[Figure]:
    """The first *most* numbers of *text* in Chinese characters that count something; *clean* is as figures reads it."""
    out: list[Figure] = []
    for found in _NUMBER.finditer(clean):
        if len(out) >= most:
            break
        start, end = found.span()
        factor, unit, last = units.after(clean, end)
        counted = _COUNTER.match(clean, end)
        if not (found[1] or unit or counted) or clean[start : end + 1] in _NOT:
            continue
        value = _value(found[2])
        if value is None:
            continue
        half = _SCALES.get(clean[end - 1], 0) / 2
        if found[3]:
            value += float("0." + "".join(str(_DIGITS[char]) for char in found[3]))
            half = 0.5 * 10.0 ** -len(found[3])
        bound = bounds.before(clean, start) or bounds.after(clean, last)
        out.append(
            Figure(
                start,
                last,
                text[start:last],
                (Reading(value * factor, half * factor),),
                units.PERCENT if found[1] else unit,
                bound,
                word=True,
            )
        )
    return out


def _value(written: str) -> float | None:
    """What Chinese numerals are worth; None when they are no number."""
    total = group = digit = 0
    for char in written:
        if char in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[char]
        elif char in _TENS:
            group += (digit or 1) * _TENS[char]
            digit = 0
        else:
            if not group + digit:
                return None
            total += (group + digit) * _SCALES[char]
            group = digit = 0
    return float(total + group + digit)
