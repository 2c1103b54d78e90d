"""
Clock times that a text gives in a place's own time: ``03:25 Berlin time`` for 01:25 UTC.
"""

from __future__ import annotations

import re
import zoneinfo
from datetime import datetime, timedelta, timezone

from monitor.remember import remembered

_PLACE = re.compile(
    r"\b([A-Z][a-z]+(?:\s[A-Z][a-z]+)?) (?:local )?time\b|\b([A-Z][a-z]+)er (?:Orts)?[Zz]eit\b|"
    r"\bheure (?:locale )?(?:de |d['’])([A-Z][a-z]+)|\bhora (?:local )?de ([A-Z][a-z]+(?:\s[A-Z][a-z]+)?)|\b([A-Z][a-z]+)se tijd\b"
)
_REGIONS = ("Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian")
MAX_PLACES = 20


def zone_of(text: str) -> str:
    """The time zone of the place whose own time *text* speaks of (``Europe/Berlin``); "" when it names none."""
    if "time" not in text and "eit" not in text and " de " not in text and "tijd" not in text and " d" not in text:
        return ""
    for found, _ in zip(_PLACE.finditer(text), range(MAX_PLACES), strict=False):
        name = next(group for group in found.groups() if group)
        zone = _zone(name.replace(" ", "_")) or _zone(name.rsplit(None, 1)[-1])
        if zone:
            return zone
    return ""


@remembered(256)
def _zone(place: str) -> str:
    for region in _REGIONS:
        try:
            zoneinfo.ZoneInfo(f"{region}/{place}")
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            continue
        return f"{region}/{place}"
    return ""


def minute_in(zone: str, year: int, month: int, day: int, minute: int, offset: int) -> int | None:
    """The minute of the day in *zone* at a date and *minute* of the day, *offset* minutes ahead of UTC; None for no date."""
    try:
        at = datetime(year, month, day, tzinfo=timezone(timedelta(minutes=offset))) + timedelta(minutes=minute)
        there = at.astimezone(zoneinfo.ZoneInfo(zone))
    except (ValueError, OverflowError):
        return None
    return there.hour * 60 + there.minute
