"""
The words that announce a derivation or a direction, in the languages that answers are written in.
"""

from __future__ import annotations

import re


def _pattern(words: str, more: str = "") -> re.Pattern[str]:
    """One pattern for *words*; a trailing ``*`` stands for any ending. *more* is added as it is."""
    parts = [re.escape(word.replace("_", " ")).replace(r"\*", r"\w*") for word in words.split()]
    return re.compile(rf"\b(?:{'|'.join(parts)})\b{'|' + more if more else ''}", re.IGNORECASE)


_RISE = _pattern(
    "rose risen rise rises rising increas* grew grown grow grows gain* climb* up higher more jump* improv* stieg* gestiegen steigt "
    "zunahme erhöht* wuchs mehr höher gewachsen hausse augment* progress* plus croît aument* subi* sube creci* más mayor gestegen "
    "steeg groei* hoger meer growth better ahead above exceed* surpass* ökade ökning steg fler öka* wzr* cresc* sali*",
    "[増升涨]|上昇|增长|बढ़",
)
_FALL = _pattern(
    "fell fallen fall falls falling decreas* declin* drop* down lower less fewer reduc* lost loss lose loses negative minus shrank "
    "shrink* slip* dip* sank sinkt fiel fielen gesunken rückgang weniger gefallen niedriger gesenkt verringert* baiss* diminu* recul* moins "
    "inférieur* disminu* baj* cay* cae menos menor gedaald daling daalde lager minder below behind early earlier worse* weaker minskade minskning färre "
    "sjönk spad* queda caiu dimin* cal*",
    "[減减降]|下落|低下|下降",
)
_KINDS: dict[str, re.Pattern[str]] = {
    "difference": _pattern(
        "more less fewer higher lower increas* decreas* differ* gap spread rose risen rise rises fell fallen fall falls gain* drop* "
        "change* changing ahead behind grew growth grown down up lead leads leading margin longer shorter extra additional cheaper "
        "above below by than under short fall improv* narrow* widen* slip* shrank lost loss remaining left empty free separate* worse better "
        "mehr weniger höher niedriger gestiegen gesunken stieg sank fiel fielen um zunahme rückgang unterschied differenz vorsprung über unter "
        "rest* plus moins hausse baisse augment* diminu* écart reste dépass* recul* más menos aument* disminu* diferencia supera* "
        "queda* creci* baj* cay* hoger lager meer minder gestegen gedaald verschil over fler färre mer mindre ökade minskade "
        "skillnad refund* majority variation movement beat beating short",
        r"\d\s?(?:pp|bps)\b|[増減差增减比]|より|अधिक|ज़्यादा|ज्यादा|कम",
    ),
    "sum": _pattern(
        "total* combined together altogether overall sum sums in_all both across all entire whole every zusammen insgesamt gesamt* "
        "summe alle au_total ensemble somme en_total totale totaux toutes tous juntos suma sumaron todos todas conjunto samen totaal "
        "alle in_totale totalt sammanlagt alla razem łącznie em_total cost price refund* make makes made come comes group's group "
        "makes sold handled",
        "[合总]計|合计|总|全|कुल",
    ),
    "average": _pattern(
        "average* mean avg per each overall blended weighted typical* durchschnitt* mittel* im_schnitt pro moyenne* moyen par promedio "
        "media medio por cada gemiddeld* per genomsnitt* snitt średni* média",
        "平均|औसत",
    ),
    "ratio": _pattern(
        "times twice double triple ratio fold per each for_every for_each rate cost average* blended overall mal_so doppelt* pro je "
        "fois le_double par veces doble por keer dubbel* gånger weighted moyenne durchschnitt* gemiddeld* promedio conjunto medio "
        "ppm share half third quarter doppelte",
        r"\dx\b|[×/]|倍|平均",
    ),
    "product": _pattern("each per times total cost for x price", "×"),
}
_SIMPLE = _pattern("simple unweighted arithmetic einfache* ungewichtet* simple ongewogen", "")
_REST = _pattern(
    "remaining rest other others not un without lost churn* empty unsold free fail* crash* miss* late delayed restlich* übrig* "
    "reste autres resto overige övriga no"
)


def announced(text: str) -> set[str]:
    """The kinds of derivation that *text* announces."""
    return {kind for kind, pattern in _KINDS.items() if pattern.search(text)}


def rises(text: str) -> bool:
    """Whether the words speak of a rise and of no fall."""
    return bool(_RISE.search(text)) and not _FALL.search(text)


def falls(text: str) -> bool:
    """Whether the words speak of a fall, of a rise as well perhaps."""
    return bool(_FALL.search(text))


def both(text: str) -> bool:
    """Whether the words speak of a rise, whatever else."""
    return bool(_RISE.search(text))


def simple_mean(text: str) -> bool:
    """Whether an unweighted mean is announced as such."""
    return bool(_SIMPLE.search(text))


def the_rest(text: str) -> bool:
    """Whether the words speak of what remains."""
    return bool(_REST.search(text))
