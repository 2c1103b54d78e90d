"""How ``explain`` finds a turn, in the state or in recordings, and tells its story."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monitor.batchrun import BatchRun
from monitor.cli import output
from monitor.cli.evaluating import source_for
from monitor.config import Config
from monitor.decision import Choice, choices, decide
from monitor.errors import MonitorError
from monitor.log import printable
from monitor.outcome import Outcome
from monitor.rules import Rule
from monitor.sampling import position

_UNSTORED = {True: "it has nothing to look at in this turn", False: "(the explanation is past its time)"}


def from_state(identifier: str, turn: str | None, config: Config, rules: Sequence[Rule], *, as_json: bool) -> None:
    """Explain what is stored under *identifier*."""
    from monitor.store import Store

    with Store.open(config.state.url, must_exist=True) as store:
        found = store.evaluations(identifier, turn)
    if not found:
        raise _unknown(identifier, "the state")
    for stored in found:
        row = stored.turn
        current = [outcome for outcome in stored.outcomes if outcome.result_id in stored.current]
        story = {
            "conversation_id": row.conversation_id,
            "turn_id": row.turn_id,
            "source": stored.source,
            "decision": row.decision,
            "state": row.state,
            "scope": row.scope.__dict__,
            "revision": row.revision,
            "revisions": stored.revisions,
            "rules": [_by_position(rule, row.scope, row.conversation_id, stored.source) for rule in rules],
            "outcomes": [outcome.record() for outcome in current],
            "review": [item.reason for item in stored.review],
        }
        _tell(story, current, as_json=as_json)


async def from_recordings(
    identifier: str, turn: str | None, path: str, config: Config, rules: Sequence[Rule], *, as_json: bool
) -> None:
    """Explain what stands in the recordings at *path*."""
    source = source_for(config, path, "auto", None)
    found = False
    async for conversation, _ in BatchRun(config, source, (), sampled=True).conversations():
        if conversation.id != identifier:
            continue
        kept = await decide(conversation, rules, source.name)
        everything = await decide(conversation, rules, source.name, sampled=False)
        for index, (item, full) in enumerate(zip(kept, everything, strict=True)):
            if turn is not None and item.turn.id != turn:
                continue
            found = True
            context = conversation.model_copy(update={"turns": conversation.turns[:index]})
            outcomes = list(full.evaluation.outcomes) if full.evaluation else []
            story = {
                "conversation_id": conversation.id,
                "turn_id": item.turn.id,
                "source": source.name,
                "decision": item.decision,
                "state": item.turn.state,
                "scope": conversation.scope.__dict__,
                "revision": item.revision,
                "revisions": 1,
                "rules": [_choice(choice) for choice in choices(item.turn, context, rules, source.name)],
                "outcomes": [outcome.record() for outcome in outcomes],
                "review": [],
            }
            _tell(story, outcomes, as_json=as_json)
    if not found:
        raise _unknown(identifier, path)


def _unknown(identifier: str, place: str) -> MonitorError:
    return MonitorError(
        f"nothing in {place} has the id {printable(identifier, 100)}",
        hint="ids stand in what monitor evaluate --json prints; --in FILE looks in recordings",
    )


def _choice(choice: Choice) -> dict[str, Any]:
    if not choice.matches:
        return {"rule": choice.rule.name, "matches": False}
    return {
        "rule": choice.rule.name,
        "matches": True,
        "stratum": choice.stratum,
        "rate": choice.probability,
        "position": choice.position,
        "kept": choice.kept,
    }


def _by_position(rule: Rule, scope: Any, conversation_id: str, source: str) -> dict[str, Any]:
    """What a rule says of a stored turn: its strata need the turn itself, so the base rate is shown."""
    if not rule.matches(scope, source):
        return {"rule": rule.name, "matches": False}
    at = position(conversation_id, rule.cohort)
    return {"rule": rule.name, "matches": True, "rate": rule.sample.rate, "position": at, "kept": at < rule.sample.rate}


def _tell(story: dict[str, Any], outcomes: list[Outcome], *, as_json: bool) -> None:
    if as_json:
        output.json_line(story)
        return
    where = " ".join(f"{key}={value}" for key, value in story["scope"].items() if value)
    title = f"\n{story['conversation_id']} {story['turn_id']}: {story['decision']} ({story['source']}{', ' + where if where else ''})"
    print(printable(title, 500) if not title.startswith("\n") else "\n" + printable(title[1:], 500))
    for rule in story["rules"]:
        if not rule["matches"]:
            print(f"  {rule['rule']}: does not match this traffic")
            continue
        stratum = f" (stratum {rule['stratum']})" if rule.get("stratum") else ""
        sign = "<" if rule["kept"] else "≥"
        kept = "kept" if rule["kept"] else "sampled out"
        print(f"  {rule['rule']}: {kept}, position {rule['position']:.6f} {sign} rate {rule['rate']:g}{stratum}")
    rows = [
        [
            outcome.rule,
            outcome.label,
            outcome.cause or outcome.error_type or "",
            outcome.explanation or _UNSTORED[outcome.label == "not_applicable"],
        ]
        for outcome in outcomes
    ]
    if rows:
        output.table("", ["rule", "label", "cause", "explanation"], rows)
    figures = [
        [{True: "ok", False: "no", None: "??"}[figure.grounded], figure.text, figure.explanation]
        for outcome in outcomes
        for figure in outcome.figures
    ]
    if figures:
        output.table("", ["", "figure", "where it comes from"], figures)
    if story["review"]:
        print(f"  filed for review: {', '.join(story['review'])}")
