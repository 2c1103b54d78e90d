"""Questions and answers as ``agent_events`` rows spell them."""

from __future__ import annotations

from typing import Any

from monitor.conversation import Json
from monitor.formats._errors import text_of
from monitor.jsonio import maybe_json

RESUME = "Function response: "
_NO_TEXT = ("call: ", "resp: ", "Executable code (", "Code execution result (")
_BESIDES = tuple(f" | {mark}" for mark in _NO_TEXT)
_ATTACHMENTS = frozenset(("", "[BINARY DATA]", "[UPLOAD FAILED]", "[MEDIA OFFLOADED]"))
_ANSWER_KEYS = (
    "answer",
    "final_answer",
    "response",
    "final_response",
    "text",
    "message",
    "content",
    "markdown",
    "summary",
)


def is_hidden(tool: str) -> bool:
    """Whether a tool only moves a conversation on: it answers nothing, and what people give it may be a credential."""
    return tool == "transfer_to_agent" or tool.startswith("adk_request_")


def question_of(content: Json, parts: Json) -> dict[str, Any]:
    """``{"text"}`` of what the person asked; ``{"resume": true}`` where a paused tool was answered instead."""
    summary = content.get("text_summary") if isinstance(content, dict) else content
    summary = summary if isinstance(summary, str) else ""
    listed = maybe_json(parts)
    texts, resume = [], summary.startswith(RESUME)
    for part in listed if isinstance(listed, list) else []:
        if not isinstance(part, dict):
            continue
        attributes, text = maybe_json(part.get("part_attributes")), part.get("text")
        if isinstance(attributes, dict) and "function_response" in attributes:
            resume = True
        elif not attributes and isinstance(text, str) and text not in _ATTACHMENTS:
            texts.append(text)
    text = "\n".join(texts) or ("" if resume else summary)
    return ({"text": text} if text else {}) | ({"resume": True} if resume else {})


def answer_of(content: Json, bqca: bool) -> dict[str, Any]:
    """``{"text", "kind"}`` of what the agent answered, as far as it was recorded."""
    body = content if isinstance(content, dict) else {"response": content}
    response = maybe_json(body.get("response"))
    if bqca:
        return _bqca_answer(body, response)
    text = spoken_text(response) or _plain(response) if isinstance(response, str) else _payload(response)
    return {"text": text} if text else {}


def spoken_text(response: Json) -> str:
    """The text in ``text: 'a' | text: 'b'``, a line each; nothing when a tool was called beside it."""
    if not isinstance(response, str) or not response.startswith("text: '"):
        return ""
    if any(mark in response for mark in _BESIDES):
        return ""
    return response.removeprefix("text: '").removesuffix("'").replace("' | text: '", "\n")


def _plain(response: str) -> str:
    """A response in no wrapping; nothing for what stands for no text."""
    if response in ("None", "other") or response.startswith((*_NO_TEXT, "other | ", "text: '")):
        return ""
    return response


def _payload(response: Json) -> str:
    """The answer among the arguments of a tool that delivers it: the field that is called so, else all of them."""
    if not isinstance(response, dict):
        return text_of(response)
    named = next((response[key] for key in _ANSWER_KEYS if isinstance(response.get(key), str)), None)
    texts = [value for value in response.values() if isinstance(value, str)]
    if named is None and len(texts) == len(response) == 1:
        named = texts[0]
    return named if named is not None else text_of(response)


def _bqca_answer(body: dict[str, Any], response: Json) -> dict[str, Any]:
    told = response if isinstance(response, dict) else {}
    question = text_of(told.get("clarifying_question"))
    texts = [*_parts(told.get("parts")), question]
    text = "\n".join(part for part in texts if part)
    if not text:
        scalar = spoken_text(response) or text_of(response) if not isinstance(response, dict) else ""
        text = text_of(body.get("text_summary")) or "\n".join(_parts(body.get("parts"))[:1]) or scalar
    return {"text": text, "kind": "clarification" if question else "answer"} if text else {}


def _parts(parts: Json) -> list[str]:
    found = []
    for part in parts if isinstance(parts, list) else []:
        text = part.get("markdown") or part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            found.append(text)
    return found
