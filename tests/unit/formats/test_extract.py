"""Queries, rows, errors and refusals out of a tool call, in every shape that tools use."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from monitor.conversation import AgentError, Query, ResultTable, ToolCall
from monitor.errors import RecordError
from monitor.formats._values import QUERY_VERBS, starts_with_verb, typed
from monitor.formats.extract import (
    INFRASTRUCTURE,
    RECOVERABLE,
    REFUSALS,
    ErrorClasses,
    Extracted,
    Extraction,
    QueryPaths,
    extract_call,
    extract_query,
    path,
)

SQL = "SELECT carrier, COUNT(*) AS flights FROM flights GROUP BY 1"
ROWS = [["AA", 1234], ["DL", 1001]]


def extracted(result: Any = None, arguments: Any = None, options: Extraction | None = None, **more: Any) -> Extracted:
    call = ToolCall(id="c1", name="run_query", arguments=arguments, result=result, status="unknown")
    return extract_call(call, options or Extraction(), **more)


def the_query(result: Any = None, arguments: Any = None, options: Extraction | None = None) -> Query:
    queries = extracted(result, arguments, options).queries
    assert 1 == len(queries)
    return queries[0]


def the_table(result: Any, options: Extraction | None = None) -> ResultTable:
    table = the_query(result, options=options).result
    assert table is not None
    return table


def names(table: ResultTable) -> list[str]:
    return [column.name for column in table.columns]


TABLES = {
    "columns and rows": {"columns": ["carrier", "flights"], "rows": ROWS},
    "columns as objects": {"columns": [{"name": "carrier"}, {"name": "flights"}], "rows": ROWS},
    "headers": {"headers": ["carrier", "flights"], "rows": ROWS},
    "schema.fields": {"schema": {"fields": [{"name": "carrier"}, {"name": "flights"}]}, "rows": ROWS},
    "columns and data": {"columns": ["carrier", "flights"], "data": ROWS},
    "objects under rows": {"rows": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}]},
    "objects under data": {"data": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}]},
    "objects under results": {"results": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}]},
    "objects under result": {"result": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}]},
    "objects under records": {"records": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}]},
    "a list of objects": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}],
    "one level down": {"ok": True, "result": {"columns": ["carrier", "flights"], "rows": ROWS}},
    "in a string": orjson.dumps({"columns": ["carrier", "flights"], "rows": ROWS}).decode(),
    "in a string in an object": {"result": orjson.dumps({"columns": ["carrier", "flights"], "rows": ROWS}).decode()},
    "MCP text": {
        "content": [{"type": "text", "text": orjson.dumps({"columns": ["carrier", "flights"], "rows": ROWS}).decode()}],
        "isError": False,
    },
    "MCP structuredContent": {
        "content": [{"type": "text", "text": "2 rows"}],
        "structuredContent": {"columns": ["carrier", "flights"], "rows": ROWS},
    },
    "MCP structuredContent, wrapped": {
        "content": [{"type": "text", "text": "2 rows"}],
        "structuredContent": {"result": {"columns": ["carrier", "flights"], "rows": ROWS}},
    },
    "content blocks": [
        {"type": "text", "text": orjson.dumps({"columns": ["carrier", "flights"], "rows": ROWS}).decode()}
    ],
    "ADK execute_sql": {
        "status": "SUCCESS",
        "rows": [{"carrier": "AA", "flights": 1234}, {"carrier": "DL", "flights": 1001}],
    },
    "BigQuery REST": {
        "schema": {"fields": [{"name": "carrier", "type": "STRING"}, {"name": "flights", "type": "INTEGER"}]},
        "rows": [{"f": [{"v": "AA"}, {"v": "1234"}]}, {"f": [{"v": "DL"}, {"v": "1001"}]}],
    },
    "Data Retrieved": {
        "status": "SUCCESS",
        "response": [
            {"SQL Generated": SQL},
            {"Data Retrieved": {"headers": ["carrier", "flights"], "rows": ROWS, "summary": "Showing all 2 rows."}},
            {"Answer": "AA"},
        ],
    },
}


@pytest.mark.parametrize("result", TABLES.values(), ids=TABLES)
def test_rows_are_found_in_every_shape_that_tools_use(result: Any) -> None:
    """The same two rows come out of each shape, with their columns' names and order."""
    table = the_table(result)
    assert (["carrier", "flights"], ROWS) == (names(table), table.rows)


def test_rows_without_columns_get_numbered_ones() -> None:
    """A bare list of lists is a table too."""
    assert ["column_1", "column_2"] == names(the_table({"rows": ROWS}))


def test_objects_with_different_keys_make_one_table() -> None:
    """A key that an object lacks is an empty cell, and columns that are named come first."""
    table = the_table({"columns": ["b"], "rows": [{"a": 1}, {"b": 2}]})
    assert (["b", "a"], [[None, 1], [2, None]]) == (names(table), table.rows)


def test_no_rows_is_an_empty_table() -> None:
    """A query that found nothing has a result, so that "none" can be grounded."""
    assert [] == the_table({"columns": ["carrier"], "rows": []}).rows


def test_units_and_aggregations_of_columns_are_kept() -> None:
    """What a semantic layer says of a column reaches the checks."""
    columns = [{"name": "revenue", "type": "NUMERIC", "unit": "EUR", "aggregation": "sum"}]
    column = the_table({"columns": columns, "rows": [[1]]}).columns[0]
    assert ("NUMERIC", "EUR", "sum") == (column.type, column.unit, column.aggregation)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, (None, None, False)),
        ({"row_count": 2}, (2, None, False)),
        ({"row_count": 90}, (90, 2, True)),
        ({"totalRows": "90"}, (90, 2, True)),
        ({"result_is_likely_truncated": True}, (None, 2, True)),
        ({"truncated": True}, (None, 2, True)),
        ({"summary": "Showing the first 2 of 40 total rows."}, (40, 2, True)),
        ({"row_count": "many"}, (None, None, False)),
        ({"row_count": True}, (None, None, False)),
        ({"row_count": -1}, (None, None, False)),
        ({"row_count": 1e300}, (None, None, False)),
    ],
)
def test_a_result_says_itself_what_is_missing(more: dict[str, Any], expected: tuple[Any, ...]) -> None:
    """Rows that were left out are known, however the tool says so."""
    table = the_table({"columns": ["carrier", "flights"], "rows": ROWS, **more})
    assert expected == (table.row_count, table.rows_shown, table.truncated)


def test_more_rows_than_the_limit_are_cut_and_marked() -> None:
    """What is not kept is never taken for not being there."""
    table = the_table({"columns": ["n"], "rows": [[1], [2], [3]]}, Extraction(max_rows=2))
    assert ([[1], [2]], True) == (table.rows, table.truncated)


@pytest.mark.parametrize(
    "result",
    [
        {"columns": ["carrier"], "rows": [["AA", 1234]]},
        {"rows": [{"carrier": "AA"}, ["AA", 1234]]},
        {"rows": [["AA"], {"carrier": "AA"}]},
        {"schema": {"fields": [{"name": "n"}]}, "rows": [{"f": [{"v": 1}, {"v": 2}]}]},
    ],
)
def test_a_row_that_does_not_fit_its_columns_is_refused(result: dict[str, Any]) -> None:
    """A row longer than its columns, or of another shape, is an invalid record and never a guess."""
    with pytest.raises(RecordError, match="no table") as raised:
        extracted(result)
    assert "invalid" == raised.value.cause


def test_too_many_columns_are_refused() -> None:
    """A result cannot grow into a table of millions of cells."""
    with pytest.raises(RecordError, match="5000 columns"):
        extracted({"rows": [{f"c{number}": 1} for number in range(5000)]})


@pytest.mark.parametrize(
    "result",
    [
        {"schema": {"fields": [{"name": "f"}]}, "rows": [{"f": 3}]},
        {"schema": {"fields": [{"name": "f"}]}, "rows": [{"f": [1]}]},
        {"schema": {"fields": [{"name": "f"}]}, "rows": [{"f": None}]},
    ],
)
def test_a_column_called_f_is_a_column(result: dict[str, Any]) -> None:
    """Only cells of the form {v} are BigQuery's own rows."""
    assert ["f"] == names(the_table(result))


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        ({"sql": SQL}, None),
        ({"query": SQL}, None),
        ({"statement": SQL}, None),
        ({"generated_sql": SQL}, None),
        ({"generatedSql": SQL}, None),
        ({"sql_query": SQL}, None),
        (orjson.dumps({"sql": SQL}).decode(), None),
        (None, {"sql": SQL, "rows": []}),
        (None, {"SQL Generated": SQL}),
    ],
)
def test_sql_is_found_in_arguments_and_results(arguments: Any, result: Any) -> None:
    """Each key that tools use for SQL is known."""
    assert SQL == the_query(result, arguments).sql


@pytest.mark.parametrize("text", ["flights by carrier", "selected flights", "/* only a comment", "-- select 1", ""])
def test_a_search_text_called_query_is_no_sql(text: str) -> None:
    """Words in a key ``query`` make no SQL query."""
    assert () == extracted(arguments={"query": text}).queries


@pytest.mark.parametrize(
    "sql", ["(select 1)", "-- why\nWITH a AS (SELECT 1) SELECT * FROM a", "/* x */ # y\n select 1"]
)
def test_comments_before_a_statement_do_not_hide_it(sql: str) -> None:
    """Comments, blanks and parentheses may stand before the first word."""
    assert sql == the_query(arguments={"query": sql}).sql


@pytest.mark.parametrize("part", ["/**/", "--\n", "( ", "/*", "# x\n", "\n "])
def test_telling_sql_takes_linear_time(part: str) -> None:
    """Text that was made to be slow is not."""
    started = time.process_time()
    starts_with_verb(part * 200_000, QUERY_VERBS)
    assert time.process_time() - started < 0.5


def test_a_semantic_query_is_found_flat_and_one_level_down() -> None:
    """Metrics and dimensions are kept as they were recorded."""
    asked = {"metrics": ["flights"], "dimensions": ["carrier"], "limit": 3}
    assert ("semantic", asked) == (the_query(arguments=asked).language, the_query(arguments=asked).semantic)
    assert asked == the_query(arguments={"request": orjson.dumps(asked).decode()}).semantic
    assert asked == the_query({"query": asked, "rows": []}).semantic


def test_a_looker_query_is_found() -> None:
    """Model, explore and fields make a Looker query."""
    asked = {"model": "flights", "explore": "flights", "fields": ["carrier.name"], "limit": "500"}
    query = the_query(arguments={**asked, "note": "x"})
    assert ("looker", asked) == (query.language, query.semantic)


def test_the_queries_of_a_data_agent_stay_apart() -> None:
    """Each SQL has its own rows; a result that was left out is marked as truncated, never as empty."""
    steps = [
        {"text": {"parts": ["Thinking"], "textType": "THOUGHT"}},
        {"data": {"generatedSql": "select 1"}},
        {"Data Retrieved": "Intermediate result omitted"},
        {"data": {"query": {"looker": {"model": "m", "explore": "e", "fields": ["n"]}}}},
        {"Data Retrieved": {"headers": ["n"], "rows": [["2"]], "summary": "Showing the first 1 of 7 total rows."}},
        {"data": {"generatedSql": "select 3"}},
    ]
    found = extracted({"status": "SUCCESS", "response": steps}).queries
    assert ["sql", "looker", "sql"] == [query.language for query in found]
    assert ["select 1", None, "select 3"] == [query.sql for query in found]
    assert [True, True, None] == [query.result.truncated if query.result else None for query in found]
    assert ["ok", "ok", "unknown"] == [query.status for query in found]
    assert 3 == len({query.id for query in found})


REFUSAL = AgentError(tool_call_id="c1", code="fan_out", message="would count flights twice", kind="refusal")
ERRORS = {
    "error with a code": {"error": {"code": "fan_out", "message": "would count flights twice"}},
    "error with a type": {"error": {"type": "fan_out", "message": "would count flights twice"}},
    "code beside the error": {"error": "would count flights twice", "code": "fan_out"},
    "error in an error": {"error": {"error": {"code": "fan_out", "message": "would count flights twice"}}},
    "status and message": {"status": "ERROR", "code": "fan_out", "message": "would count flights twice"},
    "status and error_details": {"status": "error", "code": "fan_out", "error_details": "would count flights twice"},
    "status failed": {"status": "failed", "error": {"code": "fan_out", "message": "would count flights twice"}},
    "is_error": {"is_error": True, "code": "fan_out", "message": "would count flights twice"},
    "MCP structured": {
        "content": [{"type": "text", "text": "no"}],
        "structuredContent": {"code": "fan_out", "message": "would count flights twice"},
        "isError": True,
    },
    "in a string": '{"error": {"code": "fan_out", "message": "would count flights twice"}}',
    "wrapped": {"result": {"error": {"code": "fan_out", "message": "would count flights twice"}}},
}


@pytest.mark.parametrize("result", ERRORS.values(), ids=ERRORS)
def test_a_refusal_is_known_in_every_shape(result: Any) -> None:
    """Code, message and class are the same whatever the tool's way to say no."""
    found = extracted(result, {"metrics": ["flights"]})
    assert (("error", (REFUSAL,))) == (found.call.status, found.errors)
    assert ("error", REFUSAL, None) == (found.queries[0].status, found.queries[0].error, found.queries[0].result)


@pytest.mark.parametrize(
    ("result", "code", "message"),
    [
        ("fan_out: would count twice", "fan_out", "fan_out: would count twice"),
        ({"error": "fan_out: would count twice"}, "fan_out", "fan_out: would count twice"),
        ({"content": [{"type": "text", "text": "fan_out:no"}], "isError": True}, "fan_out", "fan_out:no"),
        ({"isError": True, "content": "no rows for you"}, None, "no rows for you"),
        ("Error: user not found", None, "Error: user not found"),
        ("ValueError: unknown_field: tail_no", "unknown_field", "ValueError: unknown_field: tail_no"),
        ("Error executing tool run_query: no_path: a", "no_path", "Error executing tool run_query: no_path: a"),
        ({"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "no"}}, "PERMISSION_DENIED", "no"),
        ({"error": True}, None, "the tool reported an error"),
        ({"refused": True, "message": "not in this environment"}, None, "not in this environment"),
    ],
)
def test_code_and_message_are_read_from_what_the_tool_says(result: Any, code: str | None, message: str) -> None:
    """The code is a field, or the first word of the message."""
    error = extracted(result).errors[0]
    assert (code, message) == (error.code, error.message)


NO_ERRORS = {
    "null": {"error": None, "columns": ["n"], "rows": [[1]]},
    "empty text": {"error": "", "columns": ["n"], "rows": [[1]]},
    "blank text": {"error": " ", "columns": ["n"], "rows": [[1]]},
    "empty object": {"error": {}, "rows": []},
    "empty list": {"error": [], "rows": []},
    "false": {"error": False, "rows": []},
    "a column called error": {"columns": ["error", "n"], "rows": [["timeout", 3]]},
    "rows with an error": [{"error": "timeout", "n": 3}],
    "rows with a status": {"rows": [{"status": "failed", "message": "no fuel"}]},
    "a status of its own": {"status": "failed", "flight": "AA1"},
    "not an error": {"isError": False, "rows": []},
    "words": "Error rates fell to 5 % in January",
    "a statistic": "Standard error: 0.3",
    "a link": "https://example.invalid/fan_out",
}


@pytest.mark.parametrize("result", NO_ERRORS.values(), ids=NO_ERRORS)
def test_what_only_looks_like_an_error_is_none(result: Any) -> None:
    """An empty key, a column or a row that speaks of errors is no error."""
    assert ("ok", ()) == (extracted(result).call.status, extracted(result).errors)


def test_the_transports_word_counts_when_the_result_says_nothing() -> None:
    """A failed call is an error with the transport's message and code; an explicit success makes plain text no error."""
    error = extracted(failed=True, message="timeout: 30 s").errors[0]
    assert ("timeout", "timeout: 30 s", "infrastructure") == (error.code, error.message, error.kind)
    assert "busy" == extracted(failed=True, code="busy").errors[0].code
    assert "boom" == extracted("boom", failed=True, message="tool failed").errors[0].message
    assert () == extracted("fan_out: is what this metric warns of", failed=False).errors


def test_a_call_without_a_result_is_pending() -> None:
    """Its query is there, and nothing is said of how it ended."""
    found = extract_call(ToolCall(id="c1", arguments={"sql": "select 1"}, status="pending"), Extraction())
    assert ("pending", "unknown") == (found.call.status, found.queries[0].status)


@pytest.mark.parametrize("code", sorted(REFUSALS | RECOVERABLE | INFRASTRUCTURE))
def test_each_built_in_code_has_its_class(code: str) -> None:
    """In any case of letters."""
    kind = "refusal" if code in REFUSALS else "recoverable" if code in RECOVERABLE else "infrastructure"
    assert (kind, kind) == (ErrorClasses().kind(code), ErrorClasses().kind(code.upper()))


def test_the_built_in_codes_are_the_documented_ones() -> None:
    """Nothing is added or lost by accident."""
    refusals = (
        "fan_out no_path mixed_grain metric_unanchored unknown_metric unknown_field tables_not_shared "
        "table_not_readable environment_not_enabled unsafe_expression forbidden permission_denied access_denied "
        "policy_violation not_supported"
    )
    recoverable = "ambiguous_join invalid_grain invalid_order invalid_request invalid_model no_model syntax_error"
    infrastructure = "busy unavailable timeout platform_error rate_limited resource_exhausted deadline_exceeded"
    assert (refusals, recoverable, infrastructure) == (
        " ".join(sorted(REFUSALS, key=refusals.split().index)),
        " ".join(sorted(RECOVERABLE, key=recoverable.split().index)),
        " ".join(sorted(INFRASTRUCTURE, key=infrastructure.split().index)),
    )


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("429", "", "infrastructure"),
        ("503", "", "infrastructure"),
        ("HTTP 500", "", "infrastructure"),
        (None, "429 Too Many Requests", "infrastructure"),
        (None, "500 Internal Server Error", "infrastructure"),
        (None, "503: try later", "infrastructure"),
        (None, "500 rows are the limit", "unknown"),
        ("404", "", "unknown"),
        (None, "Syntax error: Unexpected keyword WHERE at [1:9]", "recoverable"),
        ("sql_syntax_error", "", "recoverable"),
        ("something_new", "", "unknown"),
        (None, "", "unknown"),
    ],
)
def test_statuses_and_syntax_errors_have_a_class(code: str | None, message: str, kind: str) -> None:
    """A code that nobody classified is unknown."""
    assert kind == ErrorClasses().kind(code, message)


def test_own_codes_win_over_the_built_in_ones() -> None:
    """A code that is named in the configuration leaves its built-in class, in any case of letters."""
    classes = ErrorClasses(refusal=frozenset({"NO_ACCESS"}), recoverable=frozenset({"fan_out"}))
    assert ("refusal", "recoverable") == (classes.kind("no_access"), classes.kind("fan_out"))


def test_a_result_marked_refused_is_a_refusal() -> None:
    """Whatever its code."""
    assert "refusal" == extracted({"refused": True, "error": {"code": "busy"}}).errors[0].kind


def test_own_paths_say_where_a_tool_keeps_things() -> None:
    """Paths of the first rule that fits the tool's name replace the built-in shapes."""
    paths = QueryPaths(tool="run_.*", sql="args.q.text", rows="result.table.0.cells", columns="result.table.0.heads")
    result = {"table": [{"heads": ["n"], "cells": [[1]]}], "rows": [["no", "such"]]}
    query = the_query(result, {"q": {"text": "select 1"}}, Extraction(queries=(QueryPaths(tool="other"), paths)))
    assert ("select 1", [[1]]) == (query.sql, query.result.rows if query.result else None)
    errors = QueryPaths(error_code="result.problem.id", error_message="result.problem.words")
    error = extracted({"problem": {"id": "no_path", "words": "x"}}, options=Extraction(queries=(errors,))).errors[0]
    assert ("no_path", "x", "refusal") == (error.code, error.message, error.kind)


def test_a_wrong_pattern_for_tools_is_refused_at_once() -> None:
    """Not when the first call comes."""
    with pytest.raises(ValidationError, match="not a regular expression"):
        QueryPaths(tool="(")


def test_rows_at_a_path_that_are_no_rows_are_refused() -> None:
    """A list of numbers is no table."""
    with pytest.raises(RecordError, match="no table"):
        extracted({"t": [1, 2]}, options=Extraction(queries=(QueryPaths(rows="result.t"),)))


def test_a_path_goes_through_objects_lists_and_json_in_text() -> None:
    """What is not there is None."""
    value = {"a": '[{"b": 1}]'}
    assert (1, None, None) == (path(value, "a.0.b"), path(value, "a.1.b"), path(value, "a.²"))


def test_definitions_are_read_from_results() -> None:
    """A metric's definition may be quoted in an answer; a failed call defines nothing."""
    listed = {"metrics": [{"name": "on_time", "description": "within 15 minutes"}]}
    definition = extracted(listed).definitions[0]
    assert ("on_time", "within 15 minutes", "c1") == (definition.name, definition.text, definition.tool_call_id)
    assert () == extracted({**listed, "error": "x"}).definitions


def test_a_recorded_query_gets_its_table() -> None:
    """Formats that record queries as such use the same shapes."""
    query = extract_query(Query(id="q1"), {"columns": ["n"], "rows": [[1]]}, Extraction())
    assert ("ok", [[1]]) == (query.status, query.result.rows if query.result else None)
    assert Query(id="q1") == extract_query(Query(id="q1"), "done", Extraction())


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("1234", "INTEGER", 1234),
        ("1234", "INT64", 1234),
        (1234.0, "INTEGER", 1234),
        ("12.50", "NUMERIC", Decimal("12.50")),
        ("12.50", "DECIMAL(10, 2)", Decimal("12.50")),
        ("0.1234567890123456789", "BIGNUMERIC", Decimal("0.1234567890123456789")),
        ("1.5", "FLOAT", 1.5),
        ("1e3", "FLOAT64", 1000.0),
        ("true", "BOOL", True),
        ("false", "BOOLEAN", False),
        ("2026-01-31", "DATE", "2026-01-31"),
        ("007", "STRING", "007"),
        ("", "INTEGER", ""),
        (None, "INTEGER", None),
        (["1"], "INTEGER", ["1"]),
        ("NaN", "NUMERIC", "NaN"),
        ("Infinity", "FLOAT", "Infinity"),
        ("1e999", "FLOAT", "1e999"),
        ("1e999999999", "NUMERIC", "1e999999999"),
        ("9" * 500, "INTEGER", "9" * 500),
        ("1_000", "INTEGER", "1_000"),
        ("9" * 30, "INTEGER", Decimal("9" * 30)),
        (1e300, "INTEGER", Decimal("1e300")),
    ],
)
def test_cells_are_read_by_their_columns_type(value: Any, kind: str, expected: Any) -> None:
    """Exact numbers stay exact; what does not fit its type stays as it was."""
    found = typed(value, kind)
    assert (expected, type(expected)) == (found, type(found))
