"""From the state to the conversations: what ``explain --failing`` and ``status --quarantine`` list, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from monitor.cli import output
from monitor.config import Config
from monitor.errors import MonitorError
from monitor.log import printable
from monitor.outcome import LABELS
from monitor.rules import load_rules
from monitor.validation import known_keys

if TYPE_CHECKING:
    from monitor.store import Listed, Store

STYLES = {"pass": "green", "fail": "bold red", "error": "bold magenta", "not_evaluable": "yellow"}
EXPIRED = "(the explanation is past its time)"
NOTHING = "(there was nothing for the rule to look at)"
_FILED = {"fail": "filed", "control": "filed as control", "cause": "filed"}


def asked(
    identifier: str | None, files: Sequence[str] | None, *, failing: bool, label: str | None, rule: str | None
) -> bool:
    """Whether a list is wanted. Raises MonitorError when it is wanted together with something else."""
    if label is not None and label not in LABELS:
        raise MonitorError(f"no outcome has the label {printable(label, 50)}", hint=known_keys(LABELS, label))
    if not failing and label is None and rule is None:
        return False
    if failing and label not in (None, "fail"):
        raise MonitorError(f"--failing lists the label fail, not {label}", hint="leave --failing out")
    if files:
        raise MonitorError("recordings have no list", hint="monitor evaluate FILE tells what fails in recordings")
    if identifier is not None:
        raise MonitorError(
            "either an id or a list can be shown", hint="leave the id out, or --failing, --label and --rule"
        )
    return True


def show(config: Config, label: str, rule: str | None, limit: int, *, as_json: bool) -> None:
    """List the newest outcomes of *label*. Raises MonitorError for a rule that is unknown to configuration and state."""
    from monitor.store import Store

    with Store.open(config.state.url, must_exist=True) as store:
        found = store.latest(label, rule=rule, limit=limit + 1)
    if not found and rule is not None:
        _known(config, rule)
    if as_json:
        for listed in found[:limit]:
            output.json_line({**listed.outcome.record(), "review": listed.review})
        return
    if not found:
        print(f"nothing has the label {label}" + (f" by rule {rule}" if rule else ""))
        return
    output.table(
        "", ["label", "rule", "conversation and turn", "review", "why"], list(map(_row, found[:limit])), below=4
    )
    more = f"; more with --limit {limit * 5}" if len(found) > limit else ""
    print()
    output.sentence(
        f"{len(found[:limit])} shown, newest first{more}; monitor explain CONVERSATION tells a turn's story"
    )


def show_quarantine(store: Store, limit: int, *, as_json: bool) -> None:
    """List the newest records that could not be read."""
    found = store.quarantined(limit + 1)
    if as_json:
        for seen_at, item in found[:limit]:
            output.json_line({**asdict(item), "seen_at": seen_at.isoformat()})
        return
    if not found:
        print("nothing is in quarantine")
        return
    rows = [
        [f"{seen_at:%Y-%m-%d %H:%M}", item.source, item.cause, item.position, output.problem(item)]
        for seen_at, item in found[:limit]
    ]
    output.table("", ["seen (UTC)", "source", "cause", "place", "message"], rows, below=4)
    more = f"; more with --limit {limit * 5}" if len(found) > limit else ""
    print()
    output.sentence(f"{len(found[:limit])} shown, newest first{more}")


def _row(listed: Listed) -> list[object]:
    outcome = listed.outcome
    cause = outcome.cause or outcome.error_type
    return [
        output.styled(f"{outcome.label} ({cause})" if cause else outcome.label, STYLES.get(outcome.label, "")),
        outcome.rule,
        f"{outcome.conversation_id} {outcome.turn_id}",
        _FILED.get(listed.review or "", "not filed"),
        outcome.explanation or (NOTHING if outcome.label == "not_applicable" else EXPIRED),
    ]


def _known(config: Config, rule: str) -> None:
    names = [each.name for each in load_rules(config.rules)]
    if rule not in names:
        raise MonitorError(f"no rule is called {printable(rule, 100)}", hint=known_keys(names, rule))
