"""
Columns of percentiles: the share below which they give the value stands in their name (``p90_h``).
"""

from __future__ import annotations

import re

from monitor.checks.grounded.context.scope import View
from monitor.checks.grounded.evidence.index import Evidence
from monitor.checks.grounded.evidence.labels import clean
from monitor.checks.grounded.sources import Found
from monitor.checks.grounded.text import units

MAX_COLUMNS = 60


def percentile(view: View, evidence: Evidence) -> Found | None:
    """The column whose name has the share that the figure states (``90% arrive within 71 hours``); None where there is none."""
    share = view.figure.readings[0].value
    if view.figure.unit != units.PERCENT or share != int(share) or not 0 < share < 100:
        return None
    name = re.compile(rf"(?:^|[^a-z])(?:p|pct|perc|percentile|q)_?{share:.0f}(?!\d)", re.IGNORECASE)
    for table in evidence.tables:
        for column in table.columns[:MAX_COLUMNS]:
            if name.search(column):
                source = {"kind": "heading", "table": table.name, "column": column}
                return Found(source, f"stands in the heading {clean(column)}")
    return None
