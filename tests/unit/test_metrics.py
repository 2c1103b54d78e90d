from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text

from monitor import __version__
from monitor.conversation import Scope
from monitor.metrics import TABLE, Exposition, Metrics
from monitor.outcome import CAUSES, LABELS, Label, Outcome
from tests.conftest import find_command

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
OPENMETRICS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def outcome(label: Label = "fail", **fields: Any) -> Outcome:
    return Outcome(**{"label": label, "rule": "grounded", "scope": Scope(agent="flights"), **fields})


def samples(exposition: Exposition) -> Samples:
    families = read_text(exposition.body.decode())
    return {
        (sample.name.removeprefix("conversation_monitor_"), tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def read_openmetrics(exposition: Exposition) -> list[Metric]:
    """The families of an OpenMetrics text, strictly parsed."""
    text = exposition.body.decode()
    return list(openmetrics.text_string_to_metric_families(text))  # type: ignore[no-untyped-call] # has no types


def scrape(metrics: Metrics) -> Samples:
    exposition = metrics.render()
    exposition.delivered()
    return samples(exposition)


def value(found: Samples, name: str, **labels: str) -> float | None:
    """The sum over the series of *name* with all these labels; None where there is none."""
    wanted = set(labels.items())
    values = [number for (one, has), number in found.items() if one == name and wanted <= set(has)]
    return sum(values) if values else None


def test_the_table_has_what_the_design_names() -> None:
    """Each metric of the design that this stage owns is in the table, with its type and labels."""
    expected = {
        "records_total": ("counter", "source decision"),
        "turns_total": ("counter", "source decision"),
        "turns_pending": ("gauge", "source"),
        "oldest_pending_seconds": ("gauge", "source"),
        "source_lag_seconds": ("gauge", "source"),
        "outcomes_total": ("counter", "rule label team environment agent"),
        "outcome_weight_total": ("counter", "rule label team environment agent"),
        "outcome_weight_squared_total": ("counter", "rule label team environment agent"),
        "not_evaluable_total": ("counter", "rule cause"),
        "outcome_score": ("histogram", "rule"),
        "evaluation_duration_seconds": ("histogram", "rule"),
        "publish_to_outcome_seconds": ("histogram", "source"),
        "review_items_filed_total": ("counter", "rule severity"),
        "review_items_open": ("gauge", "rule severity"),
        "sink_errors_total": ("counter", "sink error_type"),
        "ledger_imbalance": ("gauge", "ledger"),
        "config_last_reload_successful": ("gauge", ""),
        "label_overflow_total": ("counter", "label"),
        "build_info": ("info", ""),
    }
    assert expected == {metric.name: (metric.type, " ".join(metric.labels)) for metric in TABLE}


def busy() -> Metrics:
    """Metrics of which every family has a sample."""
    metrics = Metrics()
    metrics.start(["grounded"], ["files"])
    metrics.record("files", "parsed", 3)
    metrics.turn("files", "evaluated")
    metrics.set_pending("files", 2, datetime.now(UTC))
    metrics.set_lag("files", 1.5)
    for label in LABELS:
        cause = "truncated" if label == "not_evaluable" else None
        metrics.outcome(outcome(label, score=0.5, weight=4.0, trace_id=TRACE_ID, cause=cause), 0.002)
    metrics.publish_to_outcome("files", 12.0)
    metrics.review_item_filed("grounded", "high")
    metrics.set_review_open({("grounded", "high"): 2})
    metrics.sink_error("telemetry", "export_failed", 7)
    metrics.set_ledger("turns", 0)
    metrics.set_reload(successful=True)
    metrics.render().delivered()
    return metrics


def test_openmetrics_and_text_are_valid_and_hold_the_whole_table() -> None:
    """Both expositions parse, name the same families with types, units and help, and promtool finds no fault."""
    metrics = busy()
    rich, plain = metrics.render(OPENMETRICS), metrics.render("text/plain")
    assert "application/openmetrics-text; version=1.0.0; charset=utf-8" == rich.content_type
    assert "text/plain; version=0.0.4; charset=utf-8" == plain.content_type
    families = {family.name: family for family in read_openmetrics(rich)}
    expected = {
        f"conversation_monitor_{metric.name}".removesuffix("_total").removesuffix("_info"): metric for metric in TABLE
    }
    assert expected.keys() == families.keys()
    for name, metric in expected.items():
        found = families[name]
        assert (metric.type, metric.unit, metric.help) == (found.type, found.unit, found.documentation)
        assert found.samples, name
    assert len(expected) == len(list(read_text(plain.body.decode())))
    assert b"_created" not in rich.body + plain.body
    promtool = find_command("promtool")
    if promtool:
        checked = subprocess.run([promtool, "check", "metrics"], input=plain.body, capture_output=True, check=False)
        assert (0, b"") == (checked.returncode, checked.stdout + checked.stderr)


def test_exemplars_carry_the_trace_and_stay_small() -> None:
    """Counts and scores of outcomes point to a trace in OpenMetrics, in at most 128 characters; the text has none."""
    metrics = busy()
    exemplars = [
        (sample.name, sample.exemplar)
        for family in read_openmetrics(metrics.render(OPENMETRICS))
        for sample in family.samples
        if sample.exemplar
    ]
    assert {
        "conversation_monitor_outcomes_total",
        "conversation_monitor_outcome_score_bucket",
    } == {name for name, _ in exemplars}
    for _, exemplar in exemplars:
        assert {"trace_id": TRACE_ID} == exemplar.labels
        assert sum(len(key) + len(text) for key, text in exemplar.labels.items()) <= 128
    assert TRACE_ID not in metrics.render().body.decode()


@pytest.mark.parametrize("trace_id", [None, "", "x" * 32, TRACE_ID[:31], TRACE_ID + "\n", "\ud800" * 32, '"} 1\n' * 10])
def test_what_is_no_trace_id_is_no_exemplar(trace_id: str | None) -> None:
    """A malformed trace id neither shows up nor breaks the exposition."""
    metrics = Metrics()
    metrics.outcome(outcome("pass", score=1.0, trace_id=trace_id), 0.1)
    metrics.render(OPENMETRICS).delivered()
    body = metrics.render(OPENMETRICS).body.decode()
    assert " # " not in "".join(line for line in body.splitlines() if not line.startswith("#"))


def test_every_rule_and_label_starts_at_zero() -> None:
    """Before the first outcome all series of the rules and sources are there, at 0."""
    metrics = Metrics()
    metrics.start(["grounded", "refusal_explained"], ["files"], [Scope(), Scope(team="network", agent="flights")])
    found = scrape(metrics)
    for rule in ("grounded", "refusal_explained"):
        for name in ("outcomes_total", "outcome_weight_total", "outcome_weight_squared_total"):
            for label in LABELS:
                for agent in ("", "flights"):
                    assert 0 == value(found, name, rule=rule, label=label, agent=agent)
        assert [0.0] * len(CAUSES) == [value(found, "not_evaluable_total", rule=rule, cause=cause) for cause in CAUSES]
        assert 0 == value(found, "outcome_score_count", rule=rule)
        assert 0 == value(found, "evaluation_duration_seconds_count", rule=rule)
    for decision in ("parsed", "ignored", "quarantined"):
        assert 0 == value(found, "records_total", source="files", decision=decision)
    for decision in ("evaluated", "sampled_out", "filtered", "abandoned"):
        assert 0 == value(found, "turns_total", source="files", decision=decision)
    assert 0 == value(found, "label_overflow_total")
    assert 0 == value(found, "ledger_imbalance", ledger="records")
    assert 1 == value(found, "build_info", version=__version__)


def test_outcomes_are_counted_with_their_weights() -> None:
    """Sum of weights and of their squares stand beside the count, so that PromQL gives weighted rates and effective n."""
    metrics = Metrics()
    metrics.outcome(outcome(weight=4.0))
    metrics.outcome(outcome(weight=10.0))
    scrape(metrics)
    metrics.outcome(outcome(weight=1.0))
    found = scrape(metrics)
    labels = {"rule": "grounded", "label": "fail", "agent": "flights"}
    assert 3 == value(found, "outcomes_total", **labels)
    assert 15 == value(found, "outcome_weight_total", **labels)
    assert 117 == value(found, "outcome_weight_squared_total", **labels)


@pytest.mark.parametrize(
    ("given", "scores", "causes"),
    [
        (outcome("pass", score=1.0), 1, 0),
        (outcome("fail", score=0.0), 1, 0),
        (outcome("fail"), 0, 0),
        (outcome("not_applicable"), 0, 0),
        (outcome("not_evaluable", cause="truncated", score=0.5), 0, 1),
        (outcome("error", score=0.5), 0, 0),
        (outcome("pass", score=float("nan")), 0, 0),
    ],
)
def test_only_decided_outcomes_have_a_score(given: Outcome, scores: int, causes: int) -> None:
    """What could not be decided or broke is no score of 0; what could not be decided is counted by cause."""
    metrics = Metrics()
    metrics.outcome(given)
    scrape(metrics)
    found = scrape(metrics)
    assert 1 == value(found, "outcomes_total", label=given.label)
    assert scores == value(found, "outcome_score_count")
    assert causes == value(found, "not_evaluable_total")


def test_a_new_label_set_is_shown_at_zero_before_it_counts() -> None:
    """The first burst of a new agent lies between two scrapes, where increase() sees all of it."""
    metrics = Metrics()
    metrics.start(["grounded"])
    scrape(metrics)
    for _ in range(5):
        metrics.outcome(outcome(weight=2.0))
    first = scrape(metrics)
    assert (0, 0) == (
        value(first, "outcomes_total", agent="flights"),
        value(first, "outcome_weight_total", agent="flights"),
    )
    metrics.outcome(outcome(weight=2.0))
    second = scrape(metrics)
    assert 6 == value(second, "outcomes_total", agent="flights", label="fail")
    assert 12 == value(second, "outcome_weight_total", agent="flights", label="fail")


def test_increase_sees_every_count_whatever_the_order() -> None:
    """Over any mix of outcomes and scrapes, the growth between scrapes adds up to everything that was counted."""
    rng = random.Random(7)
    metrics = Metrics()
    counted: dict[str, int] = {}
    seen: Samples = {}
    grown: dict[str, float] = {}
    for step in range(300):
        if rng.random() < 0.2 or step > 297:
            found = scrape(metrics)
            for key, number in found.items():
                if key[0] == "outcomes_total" and key in seen:
                    agent = dict(key[1])["agent"]
                    grown[agent] = grown.get(agent, 0) + number - seen[key]
            seen = found
        else:
            agent = f"agent-{rng.randrange(12)}"
            label = rng.choice(LABELS)
            metrics.outcome(outcome(label, scope=Scope(agent=agent)))
            counted[agent] = counted.get(agent, 0) + 1
    assert 12 == len(counted)
    assert counted == grown


def test_a_scrape_that_did_not_arrive_does_not_count_as_one() -> None:
    """What was rendered but never delivered has shown nothing."""
    metrics = Metrics()
    metrics.outcome(outcome())
    metrics.render()
    assert 0 == value(samples(metrics.render()), "outcomes_total", agent="flights")
    assert 0 == value(scrape(metrics), "outcomes_total", agent="flights")
    assert 1 == value(scrape(metrics), "outcomes_total", agent="flights")


def test_a_series_born_during_a_scrape_waits_for_the_next() -> None:
    """A scrape vouches only for the series that it began with."""
    metrics = Metrics()
    exposition = metrics.render()
    metrics.outcome(outcome())
    exposition.delivered()
    assert 0 == value(scrape(metrics), "outcomes_total", agent="flights")
    assert 1 == value(scrape(metrics), "outcomes_total", agent="flights")


@pytest.mark.parametrize("late_outcome", [True, False])
def test_where_nobody_scrapes_counts_are_not_held_for_ever(late_outcome: bool) -> None:
    """After the time to wait, a new series counts even though no scrape has shown it."""
    clock = Clock()
    metrics = Metrics(hold_seconds=300, clock=clock)
    metrics.outcome(outcome())
    clock.now += 299
    metrics.outcome(outcome())
    assert 0 == value(samples(metrics.render()), "outcomes_total", agent="flights")
    clock.now += 1
    if late_outcome:
        metrics.outcome(outcome())
    assert 2 + late_outcome == value(samples(metrics.render()), "outcomes_total", agent="flights")


def test_a_label_takes_its_cap_of_values_and_counts_the_rest_as_other() -> None:
    """The fourth agent of three is `other`; each use of `other` is counted; no outcome is lost."""
    metrics = Metrics(caps={"agent": 3})
    for index in range(5):
        for _ in range(2):
            metrics.outcome(outcome(scope=Scope(agent=f"agent-{index}")))
    scrape(metrics)
    found = scrape(metrics)
    agents = {dict(labels)["agent"] for name, labels in found if name == "outcomes_total"}
    assert {"agent-0", "agent-1", "agent-2", "other"} == agents
    assert 4 == value(found, "outcomes_total", agent="other")
    assert 10 == value(found, "outcomes_total")
    assert 4 == value(found, "label_overflow_total", label="agent")


def test_combinations_of_labels_are_capped_too() -> None:
    """Few teams times few agents cannot make many series: combinations have a cap of their own."""
    metrics = Metrics(caps={"scope": 10})
    for team in range(20):
        for agent in range(20):
            metrics.outcome(outcome(scope=Scope(team=f"t{team}", agent=f"a{agent}")))
    scrape(metrics)
    found = scrape(metrics)
    scopes = {(dict(labels)["team"], dict(labels)["agent"]) for name, labels in found if name == "outcomes_total"}
    assert 11 == len(scopes)
    assert 390 == value(found, "outcomes_total", team="other", agent="other")
    assert 390 == value(found, "label_overflow_total", label="scope")
    assert 400 == value(found, "outcomes_total")


def test_a_flood_of_hostile_names_stays_small_and_valid() -> None:
    """Whatever records call their agents, the exposition parses, and neither it nor the memory behind it grows."""
    metrics = Metrics()
    nasty = ['"} 1\n', "\ud800", "\x00\x1b[31m", "\\", "a" * 10_000, "\u202e", "other", "{}", "#"]
    for index in range(1_000):
        name = f"{nasty[index % len(nasty)]}{index}"
        scope = Scope(team=name, environment=name, agent=name)
        cause = name if index % 2 else None
        metrics.outcome(outcome("not_evaluable", rule=name, scope=scope, cause=cause))
        metrics.record(name, "parsed")
        metrics.sink_error(name, name)
        metrics.review_item_filed(name, name)
        metrics.set_review_open({(name, name): 1})
    scrape(metrics)
    exposition = metrics.render(OPENMETRICS)
    assert len(exposition.body) < 3_000_000
    for family in read_openmetrics(exposition):
        for sample in family.samples:
            for name, text in sample.labels.items():
                assert len(text) <= 100, name
    found = scrape(metrics)
    assert (1_000, 1_000) == (value(found, "outcomes_total"), value(found, "records_total"))


def test_series_of_agents_that_are_gone_expire_and_make_room() -> None:
    """A day after its last outcome an agent's series vanish, its place goes to another, and those declared stay."""
    clock = Clock()
    metrics = Metrics(caps={"agent": 2}, expire_seconds=86_400, clock=clock)
    metrics.start(["grounded"], [], [Scope(agent="declared")])
    metrics.outcome(outcome(scope=Scope(agent="old")))
    scrape(metrics)
    clock.now += 86_000
    metrics.outcome(outcome(scope=Scope(agent="declared")))
    assert 1 == value(scrape(metrics), "outcomes_total", agent="old")
    clock.now += 401
    found = scrape(metrics)
    assert value(found, "outcomes_total", agent="old") is None
    assert value(found, "outcome_weight_squared_total", agent="old") is None
    assert 1 == value(found, "outcomes_total", agent="declared")
    metrics.outcome(outcome(scope=Scope(agent="new")))
    assert 0 == value(scrape(metrics), "outcomes_total", agent="new")
    assert 1 == value(scrape(metrics), "outcomes_total", agent="new")
    assert 0 == value(scrape(metrics), "label_overflow_total")


def test_an_agent_that_comes_back_starts_again_at_zero() -> None:
    """After it expired, an agent is as new: shown at 0, then counted from 0."""
    clock = Clock()
    metrics = Metrics(expire_seconds=100, clock=clock)
    metrics.outcome(outcome())
    scrape(metrics)
    clock.now += 101
    assert value(scrape(metrics), "outcomes_total", agent="flights") is None
    metrics.outcome(outcome())
    assert 0 == value(scrape(metrics), "outcomes_total", agent="flights")
    assert 1 == value(scrape(metrics), "outcomes_total", agent="flights")


def test_an_agent_in_use_never_expires() -> None:
    """Only silence makes series old."""
    clock = Clock()
    metrics = Metrics(expire_seconds=100, clock=clock)
    for _ in range(10):
        metrics.outcome(outcome())
        clock.now += 90
        scrape(metrics)
    assert 10 == value(scrape(metrics), "outcomes_total", agent="flights")


def test_the_age_of_the_oldest_pending_turn_grows_by_itself() -> None:
    """A worker that hangs does not freeze its own alarm."""
    metrics = Metrics()
    metrics.set_pending("files", 3, datetime.now(UTC) - timedelta(seconds=60))
    found = scrape(metrics)
    assert 3 == value(found, "turns_pending", source="files")
    age = value(found, "oldest_pending_seconds", source="files")
    assert age is not None
    assert 60 <= age < 120
    metrics.set_pending("files", 0)
    assert 0 == value(scrape(metrics), "oldest_pending_seconds", source="files")


def test_review_items_that_are_done_go_to_zero() -> None:
    """What is no longer open is shown as 0, not as it was."""
    metrics = Metrics()
    metrics.set_review_open({("grounded", "high"): 2, ("grounded", "low"): 1})
    metrics.set_review_open({("grounded", "low"): 4})
    found = scrape(metrics)
    assert 0 == value(found, "review_items_open", severity="high")
    assert 4 == value(found, "review_items_open", severity="low")


def test_ledger_and_reload_say_what_is_wrong() -> None:
    """A ledger that does not add up and a configuration that was refused are visible."""
    metrics = Metrics()
    metrics.set_ledger("turns", -3)
    metrics.set_reload(successful=False)
    found = scrape(metrics)
    assert -3 == value(found, "ledger_imbalance", ledger="turns")
    assert 0 == value(found, "config_last_reload_successful")


def test_counting_and_scraping_at_once_loses_nothing() -> None:
    """Threads that count while others scrape end at the exact sum."""
    metrics = Metrics(expire_seconds=3_600)
    stop = threading.Event()

    def count(agent: str) -> None:
        for _ in range(500):
            metrics.outcome(outcome(scope=Scope(agent=agent)), 0.001)
            metrics.sink_error("telemetry", "queue_full")

    def scrapes() -> None:
        while not stop.is_set():
            metrics.render().delivered()

    scraper = threading.Thread(target=scrapes)
    counters = [threading.Thread(target=count, args=(f"agent-{index % 2}",)) for index in range(4)]
    scraper.start()
    run(counters)
    stop.set()
    scraper.join()
    scrape(metrics)
    found = scrape(metrics)
    assert (2_000, 2_000) == (value(found, "outcomes_total"), value(found, "sink_errors_total"))
    assert 2_000 == value(found, "evaluation_duration_seconds_count")


def run(threads: Iterable[threading.Thread]) -> None:
    threads = list(threads)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
