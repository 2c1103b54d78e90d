"""From messages of the Conversational Analytics API to turns."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice
from typing import Any, Literal

from monitor.conversation import AgentError, Chart, Column, Definition, Json, Query, ResultTable, ToolCall, Turn
from monitor.formats._errors import leading_code, text_of
from monitor.formats._tables import MAX_COLUMNS, checked
from monitor.formats._values import typed
from monitor.formats.extract import LOOKER_KEYS, Extraction
from monitor.formats.messages import Draft, when
from monitor.jsonio import maybe_json

Message = dict[str, Any]
FINAL, THOUGHT, PROGRESS, FOLLOW_UPS = 1, 2, 3, 4
ANALYSIS = "analysis"
UNPRINTED = "what an analysis computed was not recorded"
_TEXT_TYPES = {"FINAL_RESPONSE": FINAL, "THOUGHT": THOUGHT, "PROGRESS": PROGRESS, "FOLLOWUP_QUESTIONS": FOLLOW_UPS}
_DEFINITIONS = 500
_UPPER = re.compile(r"[A-Z]")


@dataclass(slots=True)
class _Asked:
    """A query put together from the two to four messages that it is spread over."""

    name: str = ""
    sql: str = ""
    matched: bool = False
    looker: dict[str, Any] | None = None
    dialect: str | None = None
    table: ResultTable | None = None
    error: AgentError | None = None
    call_id: str | None = None

    @property
    def open(self) -> bool:
        """Whether nothing came of it yet."""
        return self.table is None and self.error is None

    def query(self, query_id: str) -> Query:
        """The query, as the model has it."""
        status: Literal["ok", "error", "unknown"] = "error" if self.error else "ok" if self.table else "unknown"
        return Query(
            id=query_id,
            tool_call_id=self.call_id,
            language="looker" if self.looker else "sql",
            sql=self.sql or None,
            dialect=self.dialect,
            semantic=self.looker,
            status=status,
            result=self.table,
            error=self.error,
        )


def pick(value: Json, camel: str) -> Json:
    """A field of a message by its camelCase name, or by the same in snake_case."""
    if not isinstance(value, dict):
        return None
    return value[camel] if camel in value else value.get(_UPPER.sub(lambda letter: "_" + letter[0].lower(), camel))


def text_type(text: Json) -> int:
    """The type of a text message as a number; 0 where none is given."""
    kind = pick(text, "textType")
    return kind if isinstance(kind, int) else _TEXT_TYPES.get(text_of(kind), 0)


def ends(message: Message) -> bool:
    """Whether a message is the last word of its turn."""
    system = message.get("system", {})
    return text_type(system.get("text")) == FINAL or bool(pick(system, "clarification"))


def turns_of_messages(messages: Sequence[Message], options: Extraction) -> tuple[Turn, ...]:
    """The turns in *messages*, which are in order."""
    told: list[_Turn] = []
    taken: set[str] = set()
    for message in messages:
        if "user" in message or not told:
            name = text_of(message.get("messageId")) if "user" in message else ""
            name = name if name and name not in taken else f"t{len(told) + 1}"
            taken.add(name)
            told.append(_Turn(name, options))
        told[-1].take(message)
    return tuple(turn.build(index, over=index + 1 < len(told)) for index, turn in enumerate(told))


class _Turn:
    """One turn under construction."""

    def __init__(self, turn_id: str, options: Extraction) -> None:
        self.options = options
        self.draft = Draft(id=turn_id, completeness={"tool_calls": "partial"})
        self.asked: list[_Asked] = []
        self.untyped = ""
        self.final: list[str] = []
        self.charts: list[tuple[Json, str]] = []
        self.chart_of = ""
        self.tabled: set[str] = set()

    def take(self, message: Message) -> None:
        """One more message."""
        self.draft.seen(when(message.get("timestamp")))
        if "user" in message:
            asked = text_of(message["user"].get("text"))
            self.draft.question += [asked] if asked else []
            return
        system = message["system"]
        for kind, take in (
            ("text", self._text),
            ("schema", self._schema),
            ("data", self._data),
            ("analysis", self._analysis),
            ("chart", self._chart),
            ("error", self._error),
            ("clarification", self._clarification),
        ):
            body = maybe_json(system.get(kind))
            if isinstance(body, dict):
                take(body)

    def build(self, index: int, *, over: bool) -> Turn:
        """The turn with *index*; *over* when the person spoke again."""
        draft = self.draft
        draft.answer = self.final or [self.untyped]
        shown = [asked for asked in self.asked if asked.sql or asked.looker or not asked.open]
        draft.queries = [asked.query(f"q{number}") for number, asked in enumerate(shown, start=1)]
        draft.charts = [
            Chart(spec=spec, title=_title(spec), data_ref=_drawn(shown, name)) for spec, name in self.charts
        ]
        if any(call.result is None and call.id not in self.tabled for call in draft.calls.values()):
            draft.completeness |= {"results": "partial", "notes": (UNPRINTED,)}
        waiting = bool(self.asked) and self.asked[-1].open
        answered = bool(self.final) or (bool(self.untyped) and not waiting)
        return draft.build(index, self.options, ended=answered or over)

    def _text(self, text: dict[str, Any]) -> None:
        kind, parts = text_type(text), _strings(text.get("parts"))
        if kind == FINAL:
            self.final += parts
        elif kind == FOLLOW_UPS:
            self.draft.suggestions += tuple(parts)
        elif kind == 0:
            self.untyped = "\n".join(parts)

    def _clarification(self, body: dict[str, Any]) -> None:
        questions = body.get("questions")
        for item in questions if isinstance(questions, list) else []:
            self.final.append(text_of(pick(item, "question")))
            self.draft.suggestions += tuple(_strings(pick(item, "options")))
        self.draft.answer_kind = "clarification"

    def _schema(self, body: dict[str, Any]) -> None:
        """Descriptions of the fields that the agent looked at, which it may quote."""
        sources = pick(pick(body, "result"), "datasources")
        for source in sources if isinstance(sources, list) else []:
            fields = pick(pick(source, "schema"), "fields")
            for spec in fields if isinstance(fields, list) else []:
                name, told = text_of(pick(spec, "name")), text_of(pick(spec, "description"))
                if told and len(self.draft.definitions) < _DEFINITIONS:
                    self.draft.definitions.append(Definition(name=name, text=told[:4000]))

    def _open(self, fits: Callable[[_Asked], bool]) -> _Asked:
        """The newest query that nothing came of yet and that *fits*, else a new one."""
        newest = self.asked[-1] if self.asked else None
        if newest is None or not newest.open or not fits(newest):
            newest = _Asked()
            self.asked.append(newest)
        return newest

    def _data(self, body: dict[str, Any]) -> None:
        query, result = pick(body, "query"), pick(body, "result")
        looker = pick(query, "looker") or pick(body, "generatedLookerQuery")
        sql = text_of(pick(body, "generatedSql"))
        if isinstance(query, dict):
            self.asked.append(_Asked(name=text_of(query.get("name"))))
        if sql:
            asked = self._open(lambda one: not one.sql or one.matched)
            asked.sql, asked.matched = sql, False
        if isinstance(looker, dict):
            asked = self._open(lambda one: one.looker is None)
            asked.looker = {key: looker[key] for key in LOOKER_KEYS if key in looker}
        example = text_of(pick(pick(pick(body, "matchedQuery"), "exampleQuery"), "sqlQuery"))
        if example:
            asked = self._open(lambda one: not one.sql)
            asked.sql, asked.matched = example, True
        if isinstance(pick(body, "bigQueryJob"), dict) and self.asked:
            self.asked[-1].dialect = "bigquery"
        if isinstance(result, dict):
            name = text_of(result.get("name"))
            named = [asked for asked in self.asked if asked.open and asked.name == name and name]
            asked = named[-1] if named else self._open(lambda _: True)
            asked.table, asked.name = _table(result, self.options.max_rows), asked.name or name

    def _analysis(self, body: dict[str, Any]) -> None:
        """Python that the agent ran over rows: a tool call, with what it printed as its result."""
        query, event = pick(body, "query"), pick(body, "progressEvent")
        if isinstance(query, dict) or not self.draft.calls:
            call_id = f"a{len(self.draft.calls) + 1}"
            asked = text_of(pick(query, "question"))
            self.draft.calls[call_id] = ToolCall(
                id=call_id, name=ANALYSIS, arguments={"question": asked}, status="pending"
            )
        if not isinstance(event, dict):
            return
        call_id, call = list(self.draft.calls.items())[-1]
        code, printed = text_of(event.get("code")), text_of(pick(event, "executionOutput"))
        failure = text_of(pick(event, "executionError")) or text_of(event.get("error"))
        if code:
            call = call.model_copy(update={"arguments": {**call.arguments, "code": code}})
        if printed:
            lines = call.result["output"] + "\n" if call.result else ""
            call = call.model_copy(update={"result": {"output": lines + printed}, "status": "unknown"})
            self.draft.outcomes.pop(call_id, None)
        if failure:
            self.draft.outcomes[call_id] = (True, None, failure)
        self.draft.calls[call_id] = call
        self._analysed(event, call_id)

    def _analysed(self, event: dict[str, Any], call_id: str) -> None:
        table = _csv(text_of(pick(event, "resultCsvData")), self.options.max_rows)
        if table is not None:
            self.asked.append(_Asked(table=table))
            self.tabled.add(call_id)
        spec = maybe_json(pick(event, "resultVegaChartJson"))
        if isinstance(spec, dict):
            self.charts.append((spec, ""))

    def _chart(self, body: dict[str, Any]) -> None:
        asked, spec = pick(body, "query"), maybe_json(pick(pick(body, "result"), "vegaConfig"))
        if isinstance(asked, dict):
            self.chart_of = text_of(pick(asked, "dataResultName"))
        if isinstance(spec, dict):
            self.charts.append((spec, self.chart_of))
            self.chart_of = ""

    def _error(self, body: dict[str, Any]) -> None:
        """A tool failed. It is no outcome of the turn: often the agent tries again."""
        message = text_of(body.get("text"))
        code = leading_code(message)
        error = AgentError(code=code, message=message[:4000], kind=self.options.errors.kind(code, message))
        self.draft.errors.append(error)
        if self.asked and self.asked[-1].open:
            self.asked[-1].error = error


def _table(result: dict[str, Any], max_rows: int) -> ResultTable:
    """Rows by the schema's columns, which alone have an order; the shown form beside them where there is one."""
    rows, shown, fields = result.get("data"), pick(result, "formattedData"), pick(pick(result, "schema"), "fields")
    rows = [row if isinstance(row, dict) else {} for row in rows] if isinstance(rows, list) else []
    types = {
        text_of(pick(spec, "name")): text_of(pick(spec, "type"))
        for spec in (fields if isinstance(fields, list) else ())
    }
    kept = rows[:max_rows]
    others = sorted({name for row in kept for name in row} - set(types))
    columns = [Column(name=name, type=types.get(name, "")) for name in (*types, *others)]
    if len(columns) > MAX_COLUMNS:
        return checked(columns=columns)
    cells = [[typed(row.get(column.name), column.type) for column in columns] for row in kept]
    formatted = None
    if isinstance(shown, list) and shown:
        formatted = [
            [text_of(row.get(column.name) if isinstance(row, dict) else None) for column in columns]
            for row in shown[:max_rows]
        ]
    return checked(columns=columns, rows=cells, truncated=len(kept) < len(rows), formatted=formatted)


def _csv(text: str, max_rows: int) -> ResultTable | None:
    """The table in CSV text; None when it is none."""
    if not text.strip():
        return None
    try:
        lines = list(islice(csv.reader(StringIO(text)), max_rows + 2))
    except csv.Error:
        return None
    header, rows = lines[0], [row for row in lines[1:] if row]
    if not header or any(len(row) > len(header) for row in rows):
        return None
    return checked(columns=header, rows=rows[:max_rows], truncated=len(rows) > max_rows)


def _strings(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _title(spec: Json) -> str | None:
    title = spec.get("title")
    return text_of(title.get("text") if isinstance(title, dict) else title) or None


def _drawn(shown: list[_Asked], name: str) -> str | None:
    """The id of the query that a chart draws: by name, else the last with rows."""
    tables = [(f"q{number}", asked) for number, asked in enumerate(shown, start=1) if asked.table is not None]
    named = [query_id for query_id, asked in tables if name and asked.name == name]
    return named[-1] if named else tables[-1][0] if tables else None
