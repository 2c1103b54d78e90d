"""
Check that every figure comes from what the agent saw: rows, definitions, the question, its own arguments.

``text`` reads figures, dates and words out of text; ``evidence`` holds what they may come from; ``context`` says what the
words around a figure name; ``claims`` holds what they claim against the evidence; ``derivations`` does the sums. On top,
``answer`` reads one answer, ``verdict`` judges each of its figures, ``explanations``, ``sources`` and ``nearmiss`` say where
one comes from or what should stand there, and ``faults`` what can be wrong.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from monitor.checks import Check, register
from monitor.checks.grounded import faults
from monitor.checks.grounded.evidence.gather import evidence_of
from monitor.checks.grounded.verdict import Mode, ground
from monitor.conversation import Conversation, Turn
from monitor.outcome import Outcome


@register("grounded")
class Grounded(Check):
    """
    Fail an answer that states a figure nothing gives, or one that belongs elsewhere.

    Any figure ungrounded: fail, told by the first of the worst. Else any undecided: not_evaluable with its cause. Else at least one grounded: pass.
    No figures: not_applicable. Score: grounded / (grounded + ungrounded).
    """

    name = "grounded"
    version = 2

    mode: Annotated[
        Mode,
        Field(
            description="strict: a value must belong to the row, column, period and unit that the sentence names; "
            "membership: it is enough that the evidence holds it"
        ),
    ] = "strict"

    def run(self, turn: Turn, context: Conversation) -> Outcome:
        """The outcome with one verdict a figure."""
        if turn.answer is None or not turn.answer.text.strip():
            if turn.completeness.results == "absent":
                return Outcome.not_evaluable("not_recorded", "the record holds no answer")
            return Outcome.not_applicable("the turn has no answer")
        question = turn.question.text if turn.question else ""
        figures = tuple(ground(turn.answer.text, evidence_of(turn, context), question, self.mode))
        wrong = [figure for figure in figures if figure.grounded is False]
        undecided = [figure for figure in figures if figure.grounded is None]
        right = len(figures) - len(wrong) - len(undecided)
        if not figures:
            return Outcome.not_applicable("the answer states no figures")
        score = right / (right + len(wrong)) if right + len(wrong) else None
        if wrong:
            first = wrong[faults.worst([figure.severity or "major" for figure in wrong])]
            more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            return Outcome.failed(f"“{first.text}”: {first.explanation}{more}", score=score, figures=figures)
        if undecided:
            first = undecided[0]
            return Outcome.not_evaluable(
                first.cause or "not_recorded", f"“{first.text}”: {first.explanation}", figures=figures
            )
        plural = "figure is" if right == 1 else "figures are"
        return Outcome.passed(f"{right} {plural} grounded", score=score, figures=figures)
