"""The packaged demo recordings: clean, and labelled in a way that their own evidence bears out."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from monitor.demo import recordings

FILES = ("native.jsonl", "openai_chat.jsonl", "pydantic_ai.jsonl", "gda_messages.jsonl", "adk_bqaa.jsonl")
WORDS = {"twice": 2, "two": 2, "three": 3, "four": 4, "five": 5}
NUMBER = re.compile(r"\d+|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|half|twice|double)\b", re.IGNORECASE)
SCALES = {"million": 1e6, "Mio.": 1e6, "billion": 1e9, "%": 0.01, "percentage points": 0.01}
REFUSALS = {"fan_out", "no_path", "mixed_grain", "permission_denied", "tables_not_shared", "forbidden"}
LABELS = ("pass", "fail", "not_applicable", "not_evaluable")

Key = tuple[str, str, str | int]
"""File, conversation id, and turn id (native) or turn index."""


class Table(NamedTuple):
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class Recorded(NamedTuple):
    question: str
    answer: str
    tables: list[Table]
    definitions: list[str]
    errors: list[str]
    """Each error's code, or its text where there is no code."""


EXPECTED = Path(__file__).parents[1] / "demo_expected.jsonl"
"""What the monitor should find in each recorded turn, and why."""


def file(name: str) -> Path:
    return EXPECTED if name == EXPECTED.name else recordings() / name


def lines(name: str) -> list[Any]:
    return [json.loads(line) for line in file(name).read_text("utf-8").splitlines()]


def read_result(result: Any, into: Recorded) -> None:
    """Sort a tool result into table, definition or error; strings are errors here."""
    if isinstance(result, str):
        into.errors.append(result.split(":")[0])
    elif "error" in result:
        into.errors.append(result["error"]["code"])
    elif "description" in result:
        into.definitions.append(result["description"])
    elif isinstance(result["rows"][0], dict):
        columns = list(result["rows"][0])
        rows = [[row[column] for column in columns] for row in result["rows"]]
        into.tables.append(Table(columns, rows, result.get("result_is_likely_truncated", False)))
    else:
        names = [column["name"] if isinstance(column, dict) else column for column in result["columns"]]
        into.tables.append(Table(names, result["rows"]))


def native() -> Iterator[tuple[Key, Recorded]]:
    for conversation in lines("native.jsonl"):
        for turn in conversation["turns"]:
            results = [query["result"] for query in turn["queries"] if "result" in query]
            tables = [
                Table([column["name"] for column in result["columns"]], result["rows"], result["truncated"])
                for result in results
            ]
            errors = [error["code"] for error in turn["errors"]]
            definitions = [definition["text"] for definition in turn["definitions"]]
            recorded = Recorded(turn["question"]["text"], turn["answer"]["text"], tables, definitions, errors)
            yield ("native.jsonl", conversation["id"], turn["id"]), recorded


def openai_chat() -> Iterator[tuple[Key, Recorded]]:
    for conversation in lines("openai_chat.jsonl"):
        turn, now = -1, Recorded("", "", [], [], [])
        for message in conversation["messages"][1:]:
            text = message["content"]
            if message["role"] == "user":
                turn, now = turn + 1, Recorded(text, "", [], [], [])
            elif message["role"] == "tool":
                read_result(json.loads(text) if text.startswith("{") else text, now)
            elif text is not None:
                yield ("openai_chat.jsonl", conversation["conversation_id"], turn), now._replace(answer=text)


def pydantic_ai() -> Iterator[tuple[Key, Recorded]]:
    for messages in lines("pydantic_ai.jsonl"):
        turn, now = -1, Recorded("", "", [], [], [])
        for message in messages:
            for part in message["parts"]:
                if part["part_kind"] == "user-prompt":
                    turn, now = turn + 1, Recorded(part["content"], "", [], [], [])
                elif part["part_kind"] == "tool-return":
                    read_result(part["content"], now)
                elif part["part_kind"] == "text":
                    key = ("pydantic_ai.jsonl", message["conversation_id"], turn)
                    yield key, now._replace(answer=part["content"])


def gda_messages() -> Iterator[tuple[Key, Recorded]]:
    casts = {"INTEGER": int, "FLOAT": float, "STRING": str}
    for conversation in lines("gda_messages.jsonl"):
        turn, now = -1, Recorded("", "", [], [], [])
        for message in conversation["messages"]:
            if "userMessage" in message:
                turn, now = turn + 1, Recorded(message["userMessage"]["text"], "", [], [], [])
                continue
            system = message["systemMessage"]
            if "error" in system:
                now.errors.append(system["error"]["text"].split(":")[0])
            elif "result" in system.get("data", {}):
                fields = system["data"]["result"]["schema"]["fields"]
                data = system["data"]["result"]["data"]
                rows = [
                    [None if row[f["name"]] is None else casts[f["type"]](row[f["name"]]) for f in fields]
                    for row in data
                ]
                now.tables.append(Table([field["name"] for field in fields], rows))
            elif system.get("text", {}).get("textType") == "FINAL_RESPONSE":
                key = ("gda_messages.jsonl", conversation["conversation"], turn)
                yield key, now._replace(answer="\n".join(system["text"]["parts"]))


def adk_bqaa() -> Iterator[tuple[Key, Recorded]]:
    turns: Counter[str] = Counter()
    now = Recorded("", "", [], [], [])
    for row in lines("adk_bqaa.jsonl"):
        content = row["content"]
        if row["event_type"] == "USER_MESSAGE_RECEIVED":
            now = Recorded(content["text_summary"], "", [], [], [])
        elif row["event_type"] == "TOOL_COMPLETED":
            read_result(content["result"], now)
        elif row["event_type"] == "LLM_REQUEST":
            attributes = json.loads(row["content_parts"][0]["part_attributes"])
            read_result(attributes["function_response"]["response"]["content"][0]["text"], now)
        elif row["event_type"] == "AGENT_RESPONSE":
            answer = content["response"].removeprefix("text: '").removesuffix("'")
            yield ("adk_bqaa.jsonl", row["session_id"], turns[row["session_id"]]), now._replace(answer=answer)
            turns[row["session_id"]] += 1


def key_of(label: dict[str, Any]) -> Key:
    return label["file"], label["conversation_id"], label["turn_id"] if "turn_id" in label else label["turn"]


@pytest.fixture(scope="module")
def recorded() -> dict[Key, Recorded]:
    return dict([*native(), *openai_chat(), *pydantic_ai(), *gda_messages(), *adk_bqaa()])


@pytest.fixture(scope="module")
def labels() -> list[dict[str, Any]]:
    return lines(EXPECTED.name)


def cells(reference: dict[str, Any], key: Key, recorded: dict[Key, Recorded]) -> list[Any]:
    """The values that a reference names: one row's, or a whole column's for the row ``*``."""
    table = recorded[key[0], key[1], reference.get("turn", key[2])].tables[-1]
    column = table.columns.index(reference["column"])
    found = [row[column] for row in table.rows if reference["row"] in ("*", row[0])]
    assert found, f"{key}: no row {reference['row']}"
    return found


def computed(evidence: dict[str, Any], key: Key, recorded: dict[Key, Recorded]) -> float | None:
    """What the evidence gives; None where a cell is NULL. A whole column counts as its sum."""
    if evidence["op"] == "rows":
        return float(len(recorded[key].tables[-1].rows))
    groups = [cells(reference, key, recorded) for reference in evidence["cells"]]
    if evidence["op"] == "count":
        return float(sum(value > evidence["above"] for value in groups[0]))
    if any(value is None for group in groups for value in group):
        return None
    values = [math.fsum(group) for group in groups]
    match evidence["op"]:
        case "value" | "sum":
            return math.fsum(values)
        case "min":
            return min(values)
        case "difference":
            return values[0] - values[1]
        case "ratio" | "share":
            return values[0] / values[1]
        case "change":
            return values[0] / values[1] - 1
        case "fall":
            return 1 - values[0] / values[1]
    raise AssertionError(evidence["op"])


def holds(figure: dict[str, Any], key: Key, recorded: dict[Key, Recorded]) -> bool:
    """Whether the evidence bears the figure out, at the precision it is written in."""
    evidence = figure["evidence"]
    if evidence["op"] == "question":
        return figure["text"].casefold() in recorded[key].question.casefold()
    if evidence["op"] == "definition":
        return any(figure["text"] in NUMBER.findall(text) for text in recorded[key].definitions)
    value = computed(evidence, key, recorded)
    if value is None or figure.get("unit") != evidence.get("unit"):
        return False
    if evidence.get("bound") == "above":
        return bool(value > figure["value"])
    return bool(abs(value - figure["value"]) <= figure["step"] / 2 + 1e-9 * abs(value))


def readings(text: str) -> set[float]:
    """A written figure's possible values, whichever of ``.`` and ``,`` is the decimal mark."""
    word = next((value for name, value in WORDS.items() if text.casefold() == name), None)
    if word is not None:
        return {float(word)}
    scale = next((value for name, value in SCALES.items() if name in text), 1.0)
    digits = re.sub(r"\s", "", re.findall(r"\d[\d.,\s]*", text)[0]).rstrip(".,")
    values = set()
    for decimal, group in (".,", ",."):
        plain = digits.replace(group, "").replace(decimal, ".")
        if plain.count(".") <= 1:
            values.add(round(float(plain) * scale, 9))
    return values


def stands_in_a_cell(figure: dict[str, Any], tables: list[Table]) -> bool:
    numbers = [value for table in tables for row in table.rows for value in row if isinstance(value, (int, float))]
    return any(abs(number - figure["value"]) <= figure["step"] / 2 for number in numbers)


def test_recordings_are_there_and_small() -> None:
    """The folder holds one file a format, under 250 KB in all."""
    files = {path.name: path.stat().st_size for path in recordings().iterdir()}
    assert set(FILES) == set(files)
    assert sum(files.values()) < 250_000


@pytest.mark.parametrize("name", [*FILES, EXPECTED.name])
def test_every_line_parses(name: str) -> None:
    """No line is broken or empty, and none holds NaN or Infinity."""
    for line in file(name).read_text("utf-8").splitlines():
        json.loads(line, parse_constant=lambda constant: pytest.fail(f"{name} holds {constant}"))


def test_every_turn_is_labelled_once(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """The labels name each recorded turn, no other, and none twice."""
    assert set(recorded) == {key_of(label) for label in labels}
    assert len(recorded) == len(labels)


def test_counts_by_format_and_label(labels: list[dict[str, Any]]) -> None:
    """About two turns in three are right, in every format and with every label."""
    by_file = {"native.jsonl": 27, "openai_chat.jsonl": 16, "pydantic_ai.jsonl": 7, "gda_messages.jsonl": 8}
    assert {**by_file, "adk_bqaa.jsonl": 6} == Counter(label["file"] for label in labels)
    by_label = Counter(label["grounded"] for label in labels)
    assert {"pass": 34, "fail": 20, "not_applicable": 8, "not_evaluable": 2} == by_label
    assert {"pass": 6, "fail": 3, "not_applicable": 55} == Counter(label["refusal_explained"] for label in labels)
    wrong = [label for label in labels if "fail" in (label["grounded"], label["refusal_explained"])]
    assert len(wrong) == 21


def test_every_kind_of_wrong_answer_is_shown(labels: list[dict[str, Any]]) -> None:
    """A newcomer sees each way to be wrong that the checks know."""
    wanted = """wrong_row wrong_column wrong_direction wrong_unit wrong_magnitude wrong_count wrong_difference wrong_bound
        wrong_definition points_as_percent invented invented_year sum_of_averages limit_as_total stale null_as_zero
        markdown_table_wrong_cell german_wrong_base refusal_answered_around refusal_named_but_invented
        refusal_other_query_unsaid""".split()
    failing = {label["kind"] for label in labels if "fail" in (label["grounded"], label["refusal_explained"])}
    assert sorted(wanted) == sorted(failing)


def test_tables_are_rectangular(recorded: dict[Key, Recorded]) -> None:
    """Every row has a value for every column, and one table is long."""
    tables = [table for turn in recorded.values() for table in turn.tables]
    ragged = [table for table in tables if any(len(row) != len(table.columns) for row in table.rows)]
    assert [] == ragged
    assert max(len(table.rows) for table in tables) == 40


def test_labels_follow_from_their_figures(labels: list[dict[str, Any]]) -> None:
    """One wrong figure fails a turn; else an undecided one leaves it open; else one that holds passes it."""
    for label in labels:
        verdicts = {figure["grounded"] for figure in label["figures"]}
        follows = {False: "fail", None: "not_evaluable", True: "pass"}
        first = next((follows[verdict] for verdict in follows if verdict in verdicts), "not_applicable")
        assert first == label["grounded"], key_of(label)
        assert ("truncated" if first == "not_evaluable" else None) == label.get("grounded_cause"), key_of(label)


def test_every_number_is_accounted_for(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """Each digit and number word of an answer is in exactly one labelled figure, or in something that is none."""
    for label in labels:
        answer = recorded[key_of(label)].answer
        spans = [*label["figures"], *label.get("not_figures", [])]
        assert [span["text"] for span in spans] == [answer[span["start"] : span["end"]] for span in spans]
        rest = list(answer)
        for span in spans:
            assert "\0" not in rest[span["start"] : span["end"]], key_of(label)
            rest[span["start"] : span["end"]] = "\0" * (span["end"] - span["start"])
        assert [] == NUMBER.findall("".join(rest)), key_of(label)


def test_values_are_what_the_text_says(labels: list[dict[str, Any]]) -> None:
    """A figure's labelled value is a reading of its text, scale word and percent mark included."""
    for label in labels:
        for figure in label["figures"]:
            if "value" in figure:
                near = [value for value in readings(figure["text"]) if math.isclose(value, figure["value"])]
                assert [figure["value"]] == pytest.approx(near), (key_of(label), figure["text"])


def test_right_figures_hold(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """Every figure labelled grounded is borne out by the cells, question or definition that its label names."""
    right = [(key_of(label), figure) for label in labels for figure in label["figures"] if figure["grounded"]]
    assert [] == [(key, figure["text"]) for key, figure in right if not holds(figure, key, recorded)]
    assert len(right) > 150


def test_wrong_figures_do_not_hold(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """A figure labelled ungrounded contradicts the cells its label names, or stands in no result at all."""
    for label in labels:
        key = key_of(label)
        tables = [table for other, turn in recorded.items() if other[:2] == key[:2] for table in turn.tables]
        for figure in label["figures"]:
            if figure["grounded"] is False and "evidence" in figure:
                assert not holds(figure, key, recorded), (key, figure["text"])
            elif figure["grounded"] is False:
                assert not stands_in_a_cell(figure, tables), (key, figure["text"])
                assert figure["text"] not in " ".join(recorded[key].definitions)


def test_undecided_figures_are_out_of_sight(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """An undecided figure's result was cut, and what is left does not hold it."""
    for label in labels:
        for figure in label["figures"]:
            if figure["grounded"] is None:
                tables = recorded[key_of(label)].tables
                assert [True] == [table.truncated for table in tables]
                assert not stands_in_a_cell(figure, tables)


def test_refusal_labels_match_the_recorded_errors(recorded: dict[Key, Recorded], labels: list[dict[str, Any]]) -> None:
    """Only a refused turn has a verdict on its refusal, unless the same query then succeeded."""
    for label in labels:
        refused = bool(REFUSALS & set(recorded[key_of(label)].errors))
        judged = label["refusal_explained"] in ("pass", "fail")
        recovered = label.get("refusal_explained_cause") == "recovered"
        assert refused == (judged or recovered), key_of(label)
        assert not (judged and recovered), key_of(label)


def test_labels_are_complete(labels: list[dict[str, Any]]) -> None:
    """Every label uses the monitor's words and says why in one sentence."""
    for label in labels:
        assert label["grounded"] in LABELS
        assert label["refusal_explained"] in LABELS
        assert re.fullmatch(r"[A-Z0-9\"].{20,200}\.", label["why"]), label["why"]
