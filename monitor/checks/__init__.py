"""
Checks: code that looks at a turn in its conversation and gives an outcome.

A check is a frozen model whose fields are the options of a rule's ``with:`` block. ``run`` is a pure function: no
clock, no network, no state. What breaks inside it is turned into the label ``error`` by ``evaluate``, nowhere else.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from monitor.conversation import Conversation, Turn
from monitor.outcome import Outcome
from monitor.registry import Registry


class Check(BaseModel):
    """Base of all checks. *version* is raised whenever the code could answer differently."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]
    version: ClassVar[int] = 1

    def run(self, turn: Turn, context: Conversation) -> Outcome:
        """
        What this check says of *turn*; *context* is its conversation with the earlier turns only.

        Raises TooLarge when the turn is beyond what the check looks at.
        """
        raise NotImplementedError


checks: Registry[Check] = Registry("check", "monitor.checks")
register = checks.register
