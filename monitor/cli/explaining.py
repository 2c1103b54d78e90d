"""How ``explain`` finds a turn, in the state or in recordings, and tells its story."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from monitor.batchrun import BatchRun
from monitor.cli import figures, output
from monitor.cli.evaluating import source_for
from monitor.cli.listing import EXPIRED, NOTHING, STYLES
from monitor.config import Config
from monitor.conversation import Conversation
from monitor.decision import Choice, Decided, choices, decide
from monitor.errors import MonitorError
from monitor.log import printable
from monitor.outcome import FigureVerdict, Outcome
from monitor.rules import Rule
from monitor.sampling import position
from monitor.sources.file import FileSource

SHOWN = 600
"""Characters of a question and of an answer that people are shown; --json has all."""
_GENERAL = {"grounded": "the answer states no figures", "refusal_explained": "no query was refused"}
"""Why a check mostly has nothing to look at: the reason of one turn is not kept."""
Story = dict[str, Any]


def what(identifier: str | None, more: Sequence[str] | None, files: Sequence[str] | None) -> tuple[str, list[str]]:
    """The id, and the recordings to look in: those of ``--in``, and what a shell made of its pattern."""
    if identifier is None:
        raise MonitorError("which turn?", hint="give a conversation's id, or --failing to list what fails")
    if more and not files:
        raise MonitorError(
            f"one id at a time, not {printable(more[0], 100)} too", hint="recordings come after --in: ID --in FILE..."
        )
    return identifier, [*(files or ()), *(more or ())]


def from_state(identifier: str, turn: str | None, config: Config, rules: Sequence[Rule], *, as_json: bool) -> None:
    """Explain what is stored under *identifier*."""
    from monitor.store import Store

    with Store.open(config.state.url, must_exist=True) as store:
        found = store.evaluations(identifier, turn)
    if not found:
        raise _unknown(identifier, "the state")
    for stored in found:
        row, text = stored.turn, stored.text
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
            "question": text.question if text else None,
            "answer": text.answer if text else None,
            "rules": [_by_position(rule, row.scope, row.conversation_id, stored.source) for rule in rules],
            "outcomes": [outcome.record() for outcome in current],
            "review": [item.reason for item in stored.review],
        }
        _tell(story, current, as_json=as_json, stored=True)


async def from_recordings(
    identifier: str, turn: str | None, paths: Sequence[str], config: Config, rules: Sequence[Rule], *, as_json: bool
) -> None:
    """Explain what stands in the recordings that *paths* name: each turn once, as the last record has it."""
    source = source_for(config, "auto", None)
    found: dict[str, tuple[int, Story, list[Outcome]]] = {}
    everything = BatchRun(config, source, (), sampled=True, reader=FileSource.of(paths))
    async for conversation, fresh in everything.conversations():
        if conversation.id != identifier:
            continue
        new = {item.turn.id for item in fresh}
        kept = await decide(conversation, rules, source.name)
        full = await decide(conversation, rules, source.name, sampled=False)
        for index, (item, evaluated) in enumerate(zip(kept, full, strict=True)):
            if item.turn.id in new and turn in (None, item.turn.id):
                context = conversation.model_copy(update={"turns": conversation.turns[:index]})
                outcomes = list(evaluated.evaluation.outcomes) if evaluated.evaluation else []
                story = _recorded(item, context, rules, source.name, outcomes)
                if item.turn.id in found:
                    story["revisions"] += found[item.turn.id][1]["revisions"]
                found[item.turn.id] = (index, story, outcomes)
    if not found:
        raise _unknown(identifier, ", ".join(paths[:3]) + (" …" if len(paths) > 3 else ""))
    for _, story, outcomes in sorted(found.values(), key=lambda each: each[0]):
        _tell(story, outcomes, as_json=as_json)


def _recorded(
    item: Decided, context: Conversation, rules: Sequence[Rule], source: str, outcomes: list[Outcome]
) -> Story:
    turn = item.turn
    return {
        "conversation_id": context.id,
        "turn_id": turn.id,
        "source": source,
        "decision": item.decision,
        "state": turn.state,
        "scope": context.scope.__dict__,
        "revision": item.revision,
        "revisions": 1,
        "question": turn.question.text if turn.question else None,
        "answer": turn.answer.text if turn.answer else None,
        "rules": [_choice(choice) for choice in choices(turn, context, rules, source)],
        "outcomes": [outcome.record() for outcome in outcomes],
        "review": [],
    }


def _unknown(identifier: str, place: str) -> MonitorError:
    return MonitorError(
        f"nothing in {place} has the id {printable(identifier, 100)}",
        hint="ids stand in what monitor evaluate and monitor explain --failing print; --in FILE looks in recordings",
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


def _tell(story: Story, outcomes: list[Outcome], *, as_json: bool, stored: bool = False) -> None:
    if as_json:
        output.json_line(story)
        return
    where = " ".join(f"{key}={value}" for key, value in story["scope"].items() if value)
    decision = f"{story['decision']} ({story['source']}{', ' + where if where else ''})"
    print()
    title = printable(f"{story['conversation_id']} {story['turn_id']}: {decision}", 500)
    output.sentence(output.styled(title, "bold"))
    _said(story, next((outcome.figures for outcome in outcomes if outcome.figures), ()), stored=stored)
    for rule in story["rules"]:
        if text := _sampled(rule):
            output.sentence(f"{rule['rule']}: {text}", indent=2)
    rows = []
    for outcome in outcomes:
        cause = outcome.cause or outcome.error_type
        label = f"{outcome.label} ({cause})" if cause else outcome.label
        rows.append([outcome.rule, output.styled(label, STYLES.get(outcome.label, "")), _why(outcome)])
    if rows:
        output.table("", ["rule", "label", "why"], rows, below=2)
    for outcome in outcomes:
        if outcome.figures:
            figures.show_figures(outcome.figures)
    if story["review"]:
        print(f"  filed for review: {', '.join(story['review'])}")


def _said(story: Story, marked: Sequence[FigureVerdict], *, stored: bool) -> None:
    """Question and answer, as far as they go for a person, with the figures *marked*."""
    if story["question"] is not None:
        output.sentence(f"question: {printable(story['question'], SHOWN)}", indent=2)
    if story["answer"] is not None:
        figures.show_answer(story["answer"], marked, lead="answer: ", most=SHOWN)
    if stored and story["question"] is None and story["answer"] is None:
        output.sentence("(question and answer are kept of turns filed for review, for a time)", indent=2)


def _sampled(rule: dict[str, Any]) -> str:
    """Whether a rule kept the turn; empty where that goes without saying."""
    if not rule["matches"]:
        return "does not match this traffic"
    if rule["rate"] >= 1:
        return ""
    stratum = f" (stratum {rule['stratum']})" if rule.get("stratum") else ""
    kept, sign = ("kept", "<") if rule["kept"] else ("sampled out", "≥")
    return f"{kept}, position {rule['position']:.6f} {sign} rate {rule['rate']:g}{stratum}"


def _why(outcome: Outcome) -> str:
    if outcome.explanation:
        return outcome.explanation
    if outcome.label != "not_applicable":
        return EXPIRED
    general = _GENERAL.get(outcome.check)
    if outcome.cause == "recovered":
        return "a query was refused, and then the same query succeeded"
    return f"{general}, or the turn has no answer" if general else NOTHING
