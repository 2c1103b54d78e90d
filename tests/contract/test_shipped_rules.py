"""Every shipped rule agrees with the cases beside it."""

from __future__ import annotations

import pytest

from monitor.outcome import LABELS
from monitor.rulecases import load_cases, run_cases
from monitor.rules import Rule, load_rules

RULES = load_rules(None)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
async def test_it_agrees_with_its_cases(rule: Rule) -> None:
    """What a shipped rule says of each case is what the case expects."""
    assert [] == [
        f"{result.where}: {result.case}: {result.disagreement}"
        for result in await run_cases([rule])
        if not result.agreed
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_it_has_firing_and_quiet_cases(rule: Rule) -> None:
    """Ten cases or more, with each label that a check decides by itself."""
    assert rule.path is not None
    cases = load_cases(rule.path)
    assert 10 <= len(cases)
    assert set(LABELS) - {"error"} == {case.expect for case in cases}
