"""Why nothing was checked: said in one line each, so that a table of zeros leaves no one guessing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from monitor.batchrun import Totals
from monitor.cli.output import counted
from monitor.conversation import Scope
from monitor.log import printable
from monitor.rules import Match, Rule

BECAME = {
    "evaluated": "",
    "sampled_out": "not in the sample",
    "filtered": "no rule matches",
    "abandoned": "no answer in the record",
}
"""What becomes of a turn, and what that means where the word does not say it."""
SHOWN = 5


def why_nothing(totals: Totals) -> Iterator[str]:
    """Why no turn was evaluated; nothing when one was, or when a rule that matches none is the reason."""
    turns, records = totals.turns, totals.records
    if turns["evaluated"]:
        return
    if not turns["seen"]:
        read = records["parsed"] + records["ignored"]
        yield f"no turn in there: {counted(read, 'record')} of the format, and none that says what was asked or answered"
    elif turns["abandoned"] == turns["seen"]:
        number = turns["abandoned"]
        yield f"no turn has an answer: {number} {'is' if number == 1 else 'are'} unfinished"
    elif turns["sampled_out"]:
        yield f"no turn is in the sample: {turns['sampled_out']} left out by --sampled"


class Unmatched:
    """Which rules match nothing, and what they want that the recordings do not have."""

    def __init__(self, rules: Sequence[Rule], source: str) -> None:
        self._source = source
        self._rules = list(rules)
        self._off = bool(rules) and not any(rule.enabled for rule in rules)
        self._seen: dict[str, dict[str, None]] = {name: {} for name in Scope.model_fields}
        self._scope: Scope | None = None

    def look(self, scope: Scope) -> None:
        """Take note of whose conversation was read."""
        if not self._rules or scope == self._scope:
            return
        self._scope = scope
        self._rules = [rule for rule in self._rules if not rule.matches(scope, self._source)]
        for name, values in self._seen.items():
            if len(values) <= SHOWN and (value := getattr(scope, name)):
                values[value] = None

    def reasons(self) -> Iterator[str]:
        """One line for each rule that matched nothing."""
        if self._off:
            yield "no rule is on: each says enabled: false"
        for rule in self._rules:
            if rule.enabled:
                yield f"rule {rule.name} matches nothing in there: {self._reason(rule.match)}"

    def _reason(self, match: Match) -> str:
        found = []
        for name in Match.model_fields:
            patterns = getattr(match, name)
            if patterns is None:
                continue
            seen = [self._source] if name == "source" else list(self._seen[name])
            values = seen or [""]
            alone = match.model_copy(update={other: None for other in Match.model_fields if other != name})
            if any(
                alone.matches(Scope(**({} if name == "source" else {name: value})), self._source) for value in values
            ):
                continue
            wanted = " or ".join(map(printable, patterns))
            said = ", ".join(printable(value, 40) for value in seen[:SHOWN]) + (" …" if len(seen) > SHOWN else "")
            found.append(f"it wants {name} {wanted}, and the recordings have {said or 'no ' + name}")
        if not found:
            return "its match: agrees with no conversation as a whole"
        return "; ".join(found) + "; --source NAME (with --config) reads FILE as a source of the configuration is read"
