"""Lists of properties: values inside texts, in other forms, in the unit of their list, and rates of what was counted."""

from __future__ import annotations

import pytest

from monitor.checks.grounded.text.units import column_unit
from tests.unit.checks.grounded.turns import Verdicts, result, verdicts

PUMP = result(
    ["category", "name", "value"],
    ["Body", "Dimensions (H x W x D)", "84.5 x 45 x 59 cm"],
    ["Body", "Weight", "27.5 kg with hose, 24 kg bare"],
    ["Motor", "Speed", "12500 rpm (max.)"],
    ["Display", "Panel", "1.62 M dots, tilting"],
    ["Programmes", "Number", "14"],
    ["Programmes", "Eco", "222 min"],
    ["Programmes", "Quick", "20 min"],
    ["Misc", "Announced", "2019"],
    ["Misc", "Price", "$1722 (plain)"],
)
SITE = result(
    ["field", "value"],
    ["site.name", "Hub North"],
    ["usage.sessions", "1950"],
    ["usage.energy_kwh", "127641"],
    ["tariff.idle_after_min", "45"],
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is 45 cm wide.", {"45 cm": True}),
        ("It is 55 cm wide.", {"55 cm": False}),
        ("It costs $1,722.", {"$1,722": True}),
        ("It costs $1,772.", {"$1,772": False}),
        ("The panel has 1.62 million dots.", {"1.62 million": True}),
        ("The panel has 1.26 million dots.", {"1.26 million": False}),
        ("It spins at up to 12,500 rpm.", {"12,500": True}),
        ("There are 14 programmes.", {"14": True}),
        ("There are 16 programmes.", {"16": False}),
    ],
)
def test_a_value_inside_a_text_is_found_in_any_form(answer: str, expected: Verdicts) -> None:
    """What a text cell states is read as a number with its unit, however the answer writes it."""
    assert expected == verdicts(answer, PUMP)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Drivers started 1,950 sessions and drew 127,641 kWh, or about 65.5 kWh per session.", True),
        ("Drivers started 1,950 sessions and drew 127,641 kWh, or about 66.5 kWh per session.", False),
    ],
)
def test_an_amount_per_thing_follows_from_both(answer: str, expected: bool) -> None:
    """An amount for each of what was counted is worked out from the amount and the count before it."""
    assert expected is list(verdicts(answer, SITE).values())[-1]


def test_a_limit_that_a_property_sets_may_be_quoted() -> None:
    """*Longer than 45 minutes* quotes the property of 45 minutes; 40 minutes is none."""
    assert {"45 minutes": True} == verdicts("Staying longer than 45 minutes costs a fee.", SITE)
    assert {"30 minutes": False} == verdicts("Staying longer than 30 minutes costs a fee.", SITE)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("price.eur_per_mwh", "EUR/MWh"),
        ("tariff_eur_kwh", "EUR/kWh"),
        ("energy_kwh", "kWh"),
        ("distance (km)", "km"),
        ("revenue (m)", ""),
        ("orders per day", ""),
    ],
)
def test_a_columns_name_gives_its_unit(name: str, unit: str) -> None:
    """A name that ends with a rate or a unit in brackets gives it; one that may mean something else gives none."""
    assert unit == column_unit(name, None).unit
