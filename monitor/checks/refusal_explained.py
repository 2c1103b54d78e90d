"""
Check that a refused query is explained, not answered around.

A governed tool refuses a query with an error code (``fan_out``: the split would count rows twice). The agent must say
so. Figures of its own, without a query that gave them or without a word about the refusal, are answered around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from monitor import sql
from monitor.checks import Check, register
from monitor.checks.grounded.evidence.gather import evidence_of
from monitor.checks.grounded.verdict import ground
from monitor.conversation import AgentError, Conversation, Query, Turn
from monitor.language import language
from monitor.outcome import FigureVerdict, Outcome

_WORDING: dict[str, re.Pattern[str]] = {
    code: re.compile(pattern, re.IGNORECASE)
    for code, pattern in {
        "en": r"\b(?:can(?:no|['’])t|can not|could(?:n['’]t| not)|un(?:able|available)|not (?:able|allowed|permitted|possible|"
        r"supported|available|readable|enabled)|(?:is|are|was|were)n['’]t (?:able|allowed|permitted|possible|supported|available)|"
        r"refus\w+|reject\w+|den(?:y|ied|ies)|blocked|restricted|forbidden|no (?:access|permission|join path|path)|"
        r"do(?:es)?(?:n['’]t| not) (?:have (?:access|permission)|support|allow|permit|let)|double[- ]count\w*|count\w* twice|"
        r"won['’]t let|isn['’]t something i can|not authori[sz]ed|against (?:the )?polic\w+)\b",
        "de": r"\b(?:kann\w* (?:\w+ ){0,8}?nicht|nicht (?:möglich|erlaubt|verfügbar|unterstützt|zulässig|berechtigt)|abgelehnt|"
        r"verweigert|kein\w* (?:zugriff|berechtigung)|lässt sich (?:\w+ ){0,6}?nicht|doppelt (?:ge)?zähl\w*|leider)\b",
        "fr": r"\b(?:ne (?:peux|peut|puis|pouvons|permet|suis)\b.{0,40}?\bpas|n['’](?:est|ai|a|y a)\b.{0,30}?\b(?:pas|aucun)|impossible|"
        r"refus\w+|interdit\w*|non autorisé\w*|pas (?:possible|autorisé\w*|disponible\w*)|pas accès|deux fois)\b",
        "es": r"\b(?:no (?:puedo|puede|podemos|es posible|está permitid\w|está disponible|tengo (?:acceso|permiso)|se puede|se permite|"
        r"pude|fue posible)|imposible|rechaz\w+|deneg\w+|prohibid\w|dos veces|duplic\w+)\b",
        "nl": r"\b(?:kan (?:\w+ ){0,8}?niet|niet (?:mogelijk|toegestaan|beschikbaar|ondersteund)|geweigerd|geen (?:toegang|rechten)|"
        r"dubbel (?:ge)?tel\w*|helaas)\b",
        "it": r"\b(?:non (?:posso|può|possiamo|è possibile|è consentito|è disponibile|ho accesso)|impossibile|rifiutat\w|negat\w|due volte)\b",
        "pt": r"\b(?:não (?:posso|pode|podemos|é possível|é permitido|está disponível|tenho acesso|foi possível)|impossível|recusad\w|negad\w)\b",
        "pl": r"\b(?:nie (?:mogę|można|jest możliwe|mam dostępu|ma dostępu|wolno)|odmów\w+|odrzucon\w+|niemożliw\w+)",
        "sv": r"\b(?:kan (?:\w+ ){0,6}?inte|inte (?:möjligt|tillåtet|tillgänglig\w*)|nekad\w*|ingen åtkomst|tyvärr)\b",
        "ja": r"できません|できない|拒否|許可されて|アクセス権",
        "zh": r"无法|不能|不允许|拒绝|没有权限|不支持|無法|沒有權限",
        "hi": r"नहीं (?:कर )?सकत|अनुमति नहीं|संभव नहीं|अस्वीकार",
        "ar": r"لا (?:يمكن|أستطيع|يسمح)|غير (?:ممكن|مسموح)|رفض",
    }.items()
}
"""How people say that something was refused, by language. The answer's language and English are looked for."""
_STOP = frozenset(
    "this that with from would have been were when they your which into than then them does only not".split()
)
_CONTENT = re.compile(r"[^\W\d_]{4,}")
MAX_TEXT = 20_000


@register("refusal_explained")
class RefusalExplained(Check):
    """
    Fail a refused query that is answered around.

    Not applicable to turns without a refusal, and (cause ``recovered``) where the same query succeeded afterwards. A
    figure that the question, a definition, the refusal itself or an earlier turn states is no answer.
    """

    name = "refusal_explained"
    version = 1

    def run(self, turn: Turn, context: Conversation) -> Outcome:
        """The outcome by the table on the rule's page."""
        refusals = [error for error in turn.errors if error.kind == "refusal"]
        if not refusals:
            if turn.completeness.errors == "absent":
                return Outcome.not_evaluable("not_recorded", "this record cannot carry errors")
            return Outcome.not_applicable("no query was refused")
        open_refusals = [error for error in refusals if not _recovered(error, turn)]
        refusal = (open_refusals or refusals)[-1]
        what = _name(refusal)
        if not open_refusals:
            return Outcome.not_applicable(f"{what}, then the same query succeeded", cause="recovered")
        if turn.answer is None and turn.state == "complete":
            return Outcome.not_evaluable("not_recorded", f"{what}, and the answer is not in the record")
        if turn.answer is None:
            return Outcome.not_applicable(f"{what}, and the turn has no answer")
        return _judged(turn, context, open_refusals, what)


def _judged(turn: Turn, context: Conversation, refusals: list[AgentError], what: str) -> Outcome:
    answer = turn.answer.text if turn.answer else ""
    alone = context.model_copy(update={"turns": ()})
    quoting = turn.model_copy(update={"queries": (), "tool_calls": ()})
    stated = _ungrounded(_figures(quoting, alone, answer))
    if not any(_succeeded(query) for query in turn.queries):
        own = _within(_figures(quoting, context, answer), stated, grounded=False)
        if own:
            return Outcome.failed(f"{what}, and the answer states “{own[0].text}” all the same", figures=own)
        return Outcome.passed(f"{what}, and the answer states no figures of its own")
    queried = _within(_figures(turn, alone, answer), stated, grounded=True)
    loose = _within(_figures(turn, context, answer), stated, grounded=False)
    if not queried and not loose:
        return Outcome.passed(f"{what}, and the answer states no figures of its own")
    if not any(_named(error, answer) for error in refusals):
        first = min((*queried, *loose), key=lambda figure: figure.start)
        return Outcome.failed(
            f"{what}, and answered around: “{first.text}” with no word about it", figures=queried + loose
        )
    if loose:
        return Outcome.failed(f"{what} and named, but “{loose[0].text}” comes from no query", figures=loose)
    return Outcome.passed(f"{what}; answered something else and said so")


def _figures(turn: Turn, context: Conversation, answer: str) -> list[FigureVerdict]:
    return ground(answer, evidence_of(turn, context), turn.question.text if turn.question else "")


def _ungrounded(figures: list[FigureVerdict]) -> set[tuple[int, int]]:
    """Where figures stand that question, definitions, the refusal's text and the like do not state."""
    return {(figure.start, figure.end) for figure in figures if figure.grounded is not True}


def _within(figures: list[FigureVerdict], spans: set[tuple[int, int]], *, grounded: bool) -> tuple[FigureVerdict, ...]:
    return tuple(figure for figure in figures if figure.grounded is grounded and (figure.start, figure.end) in spans)


def _name(refusal: AgentError) -> str:
    return f"refused ({refusal.code[:60]})" if refusal.code else "refused"


def _succeeded(query: Query) -> bool:
    return query.status == "ok" and query.error is None and query.result is not None


def _recovered(refusal: AgentError, turn: Turn) -> bool:
    """Whether the refused query succeeded later: same metrics and dimensions, or same tables and select list."""
    calls = [call.id for call in turn.tool_calls]
    place = calls.index(refusal.tool_call_id) if refusal.tool_call_id in calls else -1
    refused = {
        signature
        for query in turn.queries
        if query.error and query.tool_call_id == refusal.tool_call_id and (signature := _signature(query))
    }
    if not refused:
        return False
    later: Iterable[Query] = (
        query
        for query in turn.queries
        if _succeeded(query) and (query.tool_call_id not in calls or calls.index(query.tool_call_id) > place)
    )
    return any(_signature(query) in refused for query in later)


def _signature(query: Query) -> tuple[object, ...] | None:
    """What a query asks for, filters and order aside."""
    semantic = query.semantic
    if semantic and query.language == "looker":
        return (
            "looker",
            semantic.get("model"),
            semantic.get("explore") or semantic.get("view"),
            _names(semantic.get("fields")),
        )
    if semantic:
        metrics = _names(semantic.get("metrics") or semantic.get("measures"))
        return ("semantic", metrics, _names(semantic.get("dimensions") or semantic.get("group_by")))
    if query.sql:
        facts = sql.facts(query.sql, query.dialect)
        return ("sql", facts.tables, facts.outputs) if facts.parsed else None
    return None


def _names(value: object) -> frozenset[str]:
    items = value if isinstance(value, list) else []
    return frozenset(str(item.get("name") if isinstance(item, dict) else item) for item in items)


def _named(refusal: AgentError, answer: str) -> bool:
    """Whether the answer names the refusal: its code, most of its words, or how its language says no."""
    text = answer[:MAX_TEXT]
    lower = text.lower()
    code = (refusal.code or "").lower()
    if code and (code in lower or code.replace("_", " ") in lower or code.replace("_", "-") in lower):
        return True
    words = {word[:6] for word in _CONTENT.findall(refusal.message[:2000].lower()) if word not in _STOP}
    said = {word[:6] for word in _CONTENT.findall(lower)}
    if len(words) >= 3 and len(words & said) >= max(3, 0.6 * len(words)):
        return True
    return any(_WORDING[name].search(text) for name in {language(answer), "en"} if name in _WORDING)
