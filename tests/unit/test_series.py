from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter

from monitor.series import VALUE_LIMIT, Gate, Labels


def counter() -> tuple[Counter, CollectorRegistry]:
    registry = CollectorRegistry()
    return Counter("c", "help", registry=registry), registry


def test_a_series_counts_at_once_after_it_was_shown() -> None:
    """What was held back is added when a scrape has shown the series, and later counts pass through."""
    child, registry = counter()
    gate = Gate(60, lambda: 0.0)
    series = gate.admit(child)
    series.inc(2)
    assert 0 == registry.get_sample_value("c_total")
    gate.shown(gate.scrape())
    assert 2 == registry.get_sample_value("c_total")
    series.inc(3)
    assert 5 == registry.get_sample_value("c_total")
    assert [] == gate.scrape()


def test_two_scrapes_at_once_count_once() -> None:
    """Two scrapers that show the same series do not add what it held twice."""
    child, registry = counter()
    gate = Gate(60, lambda: 0.0)
    gate.admit(child).inc(2)
    first, second = gate.scrape(), gate.scrape()
    gate.shown(first)
    gate.shown(second)
    assert 2 == registry.get_sample_value("c_total")


def test_a_label_makes_room_when_a_value_is_no_longer_used() -> None:
    """A value keeps its place as long as anything uses it."""
    overflows: list[str] = []
    labels = Labels("agent", 1, overflows.append)
    for _ in range(2):
        labels.hold(labels.value("a"))
    assert "other" == labels.value("b")
    labels.release("a")
    assert "other" == labels.value("b")
    labels.release("a")
    assert "b" == labels.value("b")
    assert ["agent", "agent"] == overflows


def test_nothing_recorded_takes_no_place() -> None:
    """The empty value is free even where the cap is 0, and is not counted as an overflow."""
    overflows: list[str] = []
    labels = Labels("agent", 0, overflows.append)
    labels.hold(labels.value(""))
    assert "" == labels.value("")
    assert "other" == labels.value("a")
    assert ["agent"] == overflows


def test_a_value_is_short_and_encodable() -> None:
    """A label says at most 100 safe characters of what a record calls itself."""
    value = Labels("agent", 1, lambda _: None).value("\ud800\n" + "x" * 1_000)
    assert VALUE_LIMIT == len(value)
    assert value.isprintable()
    assert value == value.encode().decode()
