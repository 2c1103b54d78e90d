"""
How likely it is that one of so many calculations gives a figure by accident.
"""

from __future__ import annotations

from monitor.checks.grounded import match
from monitor.checks.grounded.text.figures import Figure

ACCIDENT = 0.05
"""How likely it may be that one of the formulas tried gives a figure by accident."""
ANNOUNCED = 0.15
"""The same, for formulas of a kind that the sentence announces."""
_SPREAD = 2.3
"""Results of formulas lie about anywhere within a factor of ten: the natural logarithm of ten."""


def chance(figure: Figure, tried: float) -> float:
    """How likely one of so many formulas gives *figure* by accident: at most about 1 a formula."""
    low, high = match.interval(figure, figure.readings[0])
    value = abs(figure.readings[0].value)
    return tried * ((high - low) / value / _SPREAD if value else 1.0)
