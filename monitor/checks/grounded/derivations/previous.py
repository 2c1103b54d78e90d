"""
Changes since the period before: rows that are of no period cannot give them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Evidence

_PERIOD = r"year|quarter|month|week|day"
_PREVIOUS = re.compile(
    rf"\b(?:(?:previous|prior|preceding|last) (?:{_PERIOD})|(?:{_PERIOD}) (?:before|earlier)|(?:{_PERIOD})[- ](?:on|over)[- ](?:{_PERIOD})|"
    r"Vorjahr\w*|Vorquartal\w*|Vormonat\w*|Vorwoche\w*|Vortag\w*|(?:mois|trimestre) (?:précédent|dernier)|(?:année|semaine) (?:précédente|dernière)|"
    r"(?:mes|año|trimestre) (?:anterior|pasado)|semana (?:anterior|pasada)|(?:vorige?|afgelopen) (?:maand|jaar|week|kwartaal)|"
    r"(?:maand|jaar|week|kwartaal) (?:ervoor|eerder))\b|前[年月週日]比|前年同月比|环比|同比",
    re.IGNORECASE,
)
_TIMES = re.compile(
    rf"\b(?:previous|prior|last|current|this|before|after|then|now|base|{_PERIOD}|ytd|vor\w*|aktuell\w*|précédent\w*|actuel\w*|anterior|actual|"
    r"vorige?|huidige?)\b|[年月週日]",
    re.IGNORECASE,
)
"""Words of a row by which it may be of a period although it holds no date."""


def since_nothing(kind: str, cells: Sequence[tuple[int, int, int]], view: View, evidence: Evidence) -> bool:
    """Whether a difference or change of *cells* is said to be one since the period before, and their rows are of no period."""
    if kind not in ("difference", "change") or len({(t, row) for t, row, _ in cells}) < 2:
        return False
    return _PREVIOUS.search(view.sentence.text) is not None and not any(
        _of_time(evidence, t, row) for t, row, _ in cells
    )


def _of_time(evidence: Evidence, t: int, row: int) -> bool:
    """Whether a row holds a date, or a text that may mean one."""
    if row in evidence.dated(t):
        return True
    return any(isinstance(cell, str) and _TIMES.search(cell[:60]) for cell in evidence.tables[t].rows[row][:6])
