"""
From a document to a model, and from pydantic's complaints to mistakes with a place and a remedy.

Remedies are read off the model's JSON schema (bounds, choices, known keys), so that a new field needs no message of
its own. What a validator of ours has to say comes from :func:`wrong`, with a hint.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    SecretStr,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic.errors import PydanticUserError
from pydantic_core import ErrorDetails, PydanticCustomError

from monitor.yamlfile import Document, FileError, Node, Place, Problem, dotted

M = TypeVar("M", bound=BaseModel)
MAX_SECRET_BYTES = 64_000
_COMPARED = {
    "less_than_equal": ("is more than", "le"),
    "less_than": ("is not less than", "lt"),
    "greater_than_equal": ("is less than", "ge"),
    "greater_than": ("is not more than", "gt"),
}
_KINDS = {"string": "text", "boolean": "true or false"}


def wrong(message: str, hint: str = "") -> PydanticCustomError:
    """What a validator raises: *message* says what is wrong with the value, *hint* what to write instead."""
    context = {"said": message, "hint": hint}
    return PydanticCustomError("monitor", "{said}", context)


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, BeforeValidator(_text)]
"""Text that may be written as a whole number without quotes (a version, a team's number)."""


def _local(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    if str(path) == "-":
        return path
    path = path.expanduser()
    return folder / path if folder else path


LocalPath = Annotated[Path, AfterValidator(_local)]
"""A path; relative to the folder of the configuration file that it stands in. ``-`` is left alone."""
LocalText = Annotated[str, AfterValidator(lambda text, info: str(_local(Path(text), info)))]
"""The same as text, for what may be a pattern."""


def _secret(value: Any, info: ValidationInfo) -> Any:
    if not isinstance(value, dict):
        return _filled(value, "the value") if isinstance(value, str) else value
    context = info.context or {}
    match value:
        case {"env": str(name), **rest} if not rest:
            held = context.get("environment", {}).get(name)
            if held is None:
                raise wrong(f"the environment has no {name}", f"set {name}, or name another variable")
            return _filled(held, f"the variable {name}")
        case {"file": str(name), **rest} if not rest:
            path = context.get("folder", Path()) / Path(name).expanduser()
            try:
                with path.open("rb") as stream:
                    held = stream.read(MAX_SECRET_BYTES).decode()
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
                raise wrong(f"the secret's file {path} cannot be read: {reason}", "check the path") from None
            return _filled(held.rstrip("\r\n"), f"the file {path}")
    raise wrong("a secret is one text, {file: …} or {env: …}", "write {file: /path} or {env: NAME}")


def _filled(held: str, what: str) -> str:
    if not held:
        raise wrong(f"{what} is empty", "write {file: /path} or {env: NAME} of a secret that is set")
    return held


Secret = Annotated[
    SecretStr,
    BeforeValidator(_secret),
    WithJsonSchema(
        {
            "writeOnly": True,
            "anyOf": [
                {"type": "string"},
                *(
                    {
                        "type": "object",
                        "properties": {key: {"type": "string"}},
                        "required": [key],
                        "additionalProperties": False,
                    }
                    for key in ("file", "env")
                ),
            ],
        }
    ),
]
"""A secret: text (best as ``${VAR}``), ``{file: /path}`` or ``{env: NAME}``. Never shown in a message."""


def validate(
    model: type[M],
    data: Any,
    document: Document | None = None,
    at: Place = (),
    *,
    context: Mapping[str, Any] | None = None,
    also_known: Iterable[str] = (),
) -> M:
    """
    *data* as a *model*. It stands at *at* of *document*, which gives mistakes their file and line.

    *context* is handed to validators: ``folder`` and ``environment`` for :data:`LocalPath` and :data:`Secret`.
    *also_known* names keys that are allowed beside the model's, for a message about an unknown one. Raises
    FileError with every mistake.
    """
    try:
        return model.model_validate(data, context=dict(context or {}))
    except ValidationError as error:
        raise FileError(problems(error, model, data, document, at, also_known)) from None


def problems(
    error: ValidationError,
    model: type[BaseModel],
    data: Any,
    document: Document | None = None,
    at: Place = (),
    also_known: Iterable[str] = (),
) -> list[Problem]:
    """*error* as mistakes, in the document's order of complaint; several complaints about one value are one mistake."""
    schema = _Schema(model)
    found: dict[Place, Problem] = {}
    for details in error.errors(include_url=False, include_context=True):
        place = _place(details, data)
        if place in found:
            continue
        node = document.find((*at, *place)) if document else None
        message, hint = _said(details, schema, place, node, also_known)
        where = document.where((*at, *place)) if document else ""
        found[place] = Problem(where, dotted((*at, *place)), message, hint)
    deepest = [place for place in found if not any(other[: len(place)] == place for other in found if other != place)]
    return [found[place] for place in deepest]


def known_keys(keys: Iterable[str], given: str) -> str:
    """The remedy for an unknown key: the nearest known one, and all of them."""
    known = sorted(set(keys))
    if not known:
        return "remove it: no keys are known here"
    near = difflib.get_close_matches(given, known, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"known: {', '.join(known)}"


def hoisted(schema: dict[str, Any], model: type[BaseModel], prefix: str) -> dict[str, Any]:
    """
    The JSON schema of *model* as a part of *schema*, whose ``$defs`` take its definitions under *prefix*.

    An empty schema, which allows anything, for a model that cannot say its own.
    """
    try:
        part = model.model_json_schema(by_alias=True, ref_template=f"#/$defs/{prefix}.{{model}}")
    except PydanticUserError:
        return {}
    definitions = part.pop("$defs", {})
    schema.setdefault("$defs", {}).update({f"{prefix}.{name}": definitions[name] for name in definitions})
    return part


def add_condition(target: dict[str, Any], key: str, value: str, then: dict[str, Any]) -> None:
    """Let the object schema *target* ask for *then* where *key* is *value*."""
    condition = {"properties": {key: {"const": value}}, "required": [key]}
    target.setdefault("allOf", []).append({"if": condition, "then": then})


def _place(details: ErrorDetails, data: Any) -> Place:
    """Where in *data* an error stands; what pydantic puts between (names of a union's branches) is left out."""
    place: list[str | int] = []
    for index, part in enumerate(details["loc"]):
        if _holds(data, part):
            data = data[part]
        elif not (details["type"] == "missing" and index == len(details["loc"]) - 1):
            continue
        place.append(part)
    return tuple(place)


def _holds(data: Any, part: str | int) -> bool:
    if isinstance(part, int):
        return isinstance(data, (list, tuple)) and part < len(data)
    return isinstance(data, dict) and part in data


def _said(
    details: ErrorDetails, schema: _Schema, place: Place, node: Node | None, also_known: Iterable[str]
) -> tuple[str, str]:
    """(what is wrong, what to write instead)"""
    kind, context = details["type"], details.get("ctx", {})
    if kind == "extra_forbidden" or details["loc"][-1:] == ("[key]",):
        return "unknown key", known_keys([*schema.keys(place[:-1]), *also_known], str(place[-1]))
    here = list(schema.at(place))
    if kind == "missing":
        about = next((str(each["description"]) for each in here if each.get("description")), "")
        return "is missing", f"add it: {about or schema.remedy(here)}"
    if kind == "monitor":
        return str(context["said"]), str(context["hint"]) or schema.remedy(here)
    if not place and details["input"] is None:
        return "the file is empty", schema.remedy(here)
    secret = any(each.get("writeOnly") for each in here)
    written = "the value" if secret else _written(details["input"], node)
    hint = schema.remedy(here)
    if kind == "string_type" and node and node.text and not node.quoted and not secret:
        hint = f'put it in quotes: "{node.text}"'
    if kind in _COMPARED:
        verb, bound = _COMPARED[kind]
        return f"{written} {verb} {context[bound]:g}", hint
    if kind.endswith(("too_short", "too_long")):
        length = "empty" if not details["input"] else "too short" if kind.endswith("short") else "too long"
        return f"{written} is {length}", hint
    if kind == "value_error":
        return details["msg"].removeprefix("Value error, "), ""
    if kind in ("literal_error", "enum"):
        return f"{written} is not one of the choices", hint
    if kind.endswith(("_type", "_parsing")) and hint:
        return f"{written} does not fit here", hint
    return f"{written}: {details['msg']}", hint


def _written(value: Any, node: Node | None) -> str:
    """How to name a wrong value: as it is written in the file, before ``${VAR}`` was replaced."""
    if isinstance(value, Mapping):
        return "a block"
    if isinstance(value, (list, tuple)):
        return "a list"
    if value is None:
        return "nothing"
    text = node.text if node and node.text is not None else str(value)
    text = text if len(text) <= 60 else text[:57] + "…"
    return repr(text) if isinstance(value, str) else text


class _Schema:
    """A model's JSON schema, walked by place. Empty where a model has none."""

    def __init__(self, model: type[BaseModel]) -> None:
        try:
            self._root = model.model_json_schema(by_alias=True)
        except (PydanticUserError, ValueError):
            self._root = {}

    def at(self, place: Place) -> Iterator[dict[str, Any]]:
        """What may stand at *place*: one schema for each alternative."""
        current = list(self._plain(self._root))
        for part in place:
            current = [plain for schema in current for inner in _inner(schema, part) for plain in self._plain(inner)]
        yield from current

    def keys(self, place: Place) -> list[str]:
        """The keys that a block at *place* may have."""
        schemas = list(self.at(place))
        named = [key for schema in schemas for key in schema.get("properties", {})]
        return named + [key for schema in schemas for key in schema.get("propertyNames", {}).get("enum", ())]

    def remedy(self, schemas: Iterable[dict[str, Any]]) -> str:
        """``write a number from 0 to 1``, or an empty string when nothing is known."""
        said = list(dict.fromkeys(filter(None, map(self._described, schemas))))
        return f"write {' or '.join(said)}" if said else ""

    def _described(self, schema: dict[str, Any]) -> str:
        if "const" in schema:
            return str(schema["const"])
        if "enum" in schema:
            return "one of: " + ", ".join(map(str, schema["enum"]))
        kind = schema.get("type")
        if kind in ("number", "integer"):
            return ("a whole number" if kind == "integer" else "a number") + _bounds(schema)
        if kind == "array":
            items = [self._described(plain) for plain in self._plain(schema.get("items", {}))]
            return "a list" + (f" of {' or '.join(filter(None, items))}" if any(items) else "")
        if kind == "object":
            keys = list(schema.get("properties", {}))
            return "a block" + (f" with {', '.join(keys)}" if keys else "")
        return _KINDS.get(str(kind), "")

    def _plain(self, schema: Any) -> Iterator[dict[str, Any]]:
        """*schema* with references followed and alternatives spread out; a description is handed down."""
        if not isinstance(schema, dict):
            return
        if "$ref" in schema:
            target = self._root.get("$defs", {}).get(str(schema["$ref"]).rpartition("/")[2], {})
            yield from self._plain({**target, **{key: schema[key] for key in schema if key != "$ref"}})
            return
        branches = schema.get("anyOf") or schema.get("oneOf")
        if not branches:
            yield schema
            return
        handed = {key: schema[key] for key in ("description", "writeOnly") if key in schema}
        for branch in branches:
            yield from self._plain({**branch, **handed})


def _inner(schema: dict[str, Any], part: str | int) -> Iterator[Any]:
    if isinstance(part, int):
        fixed = schema.get("prefixItems", [])
        yield fixed[part] if part < len(fixed) else schema.get("items")
    elif part in schema.get("properties", {}):
        yield schema["properties"][part]
    else:
        yield schema.get("additionalProperties")


def _bounds(schema: dict[str, Any]) -> str:
    least, most = _bound(schema, "minimum", "ge"), _bound(schema, "maximum", "le")
    above, below = _bound(schema, "exclusiveMinimum", "gt"), _bound(schema, "exclusiveMaximum", "lt")
    if least is not None and most is not None:
        return f" from {least:g} to {most:g}"
    parts = [
        f"at least {least:g}" if least is not None else "",
        f"more than {above:g}" if above is not None else "",
        f"at most {most:g}" if most is not None else "",
        f"less than {below:g}" if below is not None else "",
    ]
    said = " and ".join(filter(None, parts))
    return f", {said}" if said else ""


def _bound(schema: dict[str, Any], name: str, own: str) -> Any:
    """A bound by its name in JSON schema, or by pydantic's *own*, which it leaves where a validator comes first."""
    return schema.get(name, schema.get(own))
