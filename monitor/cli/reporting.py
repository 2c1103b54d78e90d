"""How ``status`` and the demo print what a state holds."""

from __future__ import annotations

from dataclasses import asdict

from monitor.cli import output
from monitor.estimates import Estimate, estimate
from monitor.outcome import LABELS
from monitor.store import Status, Store

NO_CODE = "(none)"
"""What errors without a code are counted under: nothing that a class could be given to."""


def show_status(store: Store, *, as_json: bool, options: str = "") -> bool:
    """Print the status of *store*; returns whether both ledgers add up. *options* are those of commands to go on with."""
    status = store.status()
    rates = {rule: estimate(store.observations(rule)) for rule in sorted(status.outcomes)}
    if as_json:
        output.json_line(
            {
                **asdict(status),
                "rates": {rule: asdict(rate) for rule, rate in rates.items()},
                "balanced": status.ledger.balanced,
            }
        )
        return status.ledger.balanced
    show_ledgers(status)
    show_rates(status, rates)
    _show_rest(status)
    _show_next(status, options)
    return status.ledger.balanced


def show_ledgers(status: Status) -> None:
    """Records and turns of each source, with a mark where they do not add up."""
    for title, whole, parts, ledgers in (
        ("records", "read", ("parsed", "ignored", "quarantined"), "records"),
        ("turns", "seen", ("evaluated", "sampled_out", "filtered", "abandoned", "pending"), "turns"),
    ):
        rows = []
        for name, ledger in status.ledger.sources.items():
            counts = getattr(ledger, ledgers)
            balanced = counts[whole] == sum(counts[part] for part in parts)
            rows.append([name, counts[whole], *(counts[part] for part in parts), "yes" if balanced else "NO"])
        output.table(title, ["source", whole, *parts, "adds up"], rows, right=range(1, 2 + len(parts)), drop=(4, 5, 3))
        print()


def show_rates(status: Status, rates: dict[str, Estimate]) -> None:
    """Outcomes by rule and label, with the failure rate and its interval."""
    rows = []
    for rule, rate in rates.items():
        counts = [status.outcomes[rule].get(label, 0) for label in LABELS]
        span = "" if rate.rate is None else f"{output.percent(rate.low)} to {output.percent(rate.high)}"
        rows.append([rule, *counts, output.percent(rate.rate), span, f"{rate.effective_n:.0f}"])
    columns = ["rule", *LABELS, "failing", "95 % interval", "effective n"]
    output.table("outcomes", columns, rows, right=range(1, 9), drop=(8, 7))


def _show_rest(status: Status) -> None:
    causes = [
        [rule, label, cause, number]
        for rule, labels in status.causes.items()
        for label, found in labels.items()
        for cause, number in found.items()
    ]
    if causes:
        print()
        output.table("causes", ["rule", "label", "cause", "turns"], causes, right=[3])
    codes = [code for code in status.unknown_codes if code.code != NO_CODE]
    if codes:
        print()
        rows = [[code.source, code.code, code.count] for code in codes[:20]]
        output.table(
            "error codes of no known class (name them under errors: in monitor.yaml)",
            ["source", "code", "times"],
            rows,
            right=[2],
        )
    if status.quarantine:
        print()
        output.table("quarantine", ["cause", "records"], list(status.quarantine.items()), right=[1])
    if status.groups_waiting:
        print(f"\nwaiting for their end: {output.counted(status.groups_waiting, 'conversation')}")
    open_items = sum(number for severities in status.review_open.values() for number in severities.values())
    print(
        f"\nwaiting for review: {output.counted(open_items, 'outcome')}; state {status.size / 1e6:.1f} MB, schema {status.schema_version}"
    )


def _show_next(status: Status, options: str) -> None:
    """The commands that lead on from here."""
    unread = sum(status.quarantine.values())
    failing = sum(labels.get("fail", 0) for labels in status.outcomes.values())
    if unread:
        print(f"{output.counted(unread, 'record')} in quarantine: monitor status --quarantine{options}")
    if failing:
        print(f"{output.counted(failing, 'outcome')} with the label fail: monitor explain --failing{options}")
