"""
Results of which rows are missing: whether the words speak of the rows that are there, or of all there are.
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Table
from monitor.checks.grounded.text.names import words_in

_ROWS = frozenset(words_in("rows results entries records lines Zeilen Einträge lignes filas rijen rader righe linhas"))
_SHOWN = re.compile(
    r"\b(?:top|first|last|largest|highest|lowest|bottom|limit\w*|shown|listed|these|displayed|sample|returned|retrieved|fetched|stops? at|"
    r"gezeigt\w*|angezeigt\w*|aufgelistet\w*|zurückgegeben\w*|abgerufen\w*|diese[nr]?|affich\w+|renvoy\w+|list(?:é|ée)s|ces|mostrad\w+|devuelt\w+|"
    r"listad\w+|est[ao]s|getoond\w*|teruggegeven|opgehaald\w*|deze)\b",
    re.IGNORECASE,
)


def speaks_of_shown(view: View, table: Table) -> bool:
    """Whether the sentence says that it is about the rows returned, or how many there are of which these are some."""
    if set(view.noun) & _ROWS or _SHOWN.search(view.sentence.text):
        return True
    if table.row_count is None or table.row_count <= len(table.rows):
        return False
    said = [view.sentence, view.back] if view.back else [view.sentence]
    return any(reading.value == table.row_count for each in said for f in each.figures() for reading in f.readings)
