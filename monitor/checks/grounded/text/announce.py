"""
The words that announce a derivation or a direction, in the languages that answers are written in.

Every word is classified once and remembered. A trailing ``*`` stands for any ending, ``_`` for a space.
"""

from __future__ import annotations

import re

from monitor.remember import remembered

_WORDS = {
    "rise": "rebound* recover* erhol* rebond* repunt* recuper* herstel* rose risen rise rises rising increas* grew grown grow grows gain* climb* up higher more jump* improv* stieg* "
    "gestiegen steigt zunahme erhöht* wuchs mehr höher gewachsen hausse augment* progress* plus croît aument* "
    "subi* sube creci* más mayor gestegen steeg groei* hoger meer growth better ahead above exceed* surpass* "
    "ökade ökning steg fler öka* wzr* crescimento cresceu cresceram crescita cresciut* crescere crescono "
    "crescendo surge surged surges surging soar* expand* kletter* verbesser* zugenommen zunahm zulegt* "
    "angestiegen anstieg crû grimp* accru accrus amélior* élevé* supérieur* mejor* increment* alza* ganó ganaron "
    "crecen toegenomen toename stijg* klom klommen verbeter* uitgebreid miglior* salit* melhor* alta växte växer "
    "förbättr* högre stigit zwiększ* rosło rosła rosną rośnie poprawi* बढ* बढ़* वृद्धि ارتفع* زاد* زيادة ارتفاع",
    "fall": "fell fallen fall falls falling decreas* declin* drop* down lower less fewer reduc* lost loss lose loses "
    "negative minus shrank shrink* slip* dip* sank sinkt fiel fielen gesunken rückgang weniger gefallen niedriger "
    "gesenkt verringert* baiss* diminu* recul* moins inférieur* disminu* baj* cayó cayeron cayendo cae menos "
    "menor gedaald daling daalde lager minder below behind early earlier worse* weaker minskade minskning färre "
    "sjönk spad* queda caiu dimin* slid slump* plung* contracted abgenommen abnahm zurückgegangen rückläufig* "
    "schrumpf* verschlechter* chuté* chute perdu* réduit* réduct* repli* redujo redujeron reducción descend* "
    "descens* caíd* kromp* verminder* afgenomen afname verslechter* cala calo calat* calano sces* scende riduz* "
    "ridott* reduziu reduziram redução baix* föll faller lägre sjunk* zmniejsz* zmalał* maleje niższ* घट* गिरावट "
    "गिरा गिरी कमी انخفض* تراجع* انخفاض هبوط",
    "difference": "too trop zuviel demasiado troppo more less fewer higher lower increas* decreas* differ* gap spread rose risen rise rises fell fallen fall "
    "falls gain* drop* change* changing ahead behind grew growth grown down up lead leads leading margin longer "
    "shorter extra additional fluctuat* cheaper above below by than under short improv* narrow* widen* slip* shrank lost "
    "loss remaining left empty free separate* worse better mehr weniger höher niedriger gestiegen gesunken stieg "
    "sank fiel fielen um zunahme rückgang unterschied differenz vorsprung über unter rest* plus moins hausse "
    "baisse augment* diminu* écart reste dépass* recul* más menos aument* disminu* diferencia supera* queda* "
    "creci* baj* cayó cayeron cayendo hoger lager meer minder gestegen gedaald verschil over fler färre mer "
    "mindre ökade minskade skillnad refund* majority variation movement beat beating अधिक ज़्यादा ज्यादा कम "
    "climb* jump* declin* reduc* surge surged surges surging soar* slid slump* plung* wuchs wachs* erhöh* "
    "kletter* zugenommen abgenommen gefallen zurückgegangen verringer* schrumpf* verbesser* progress* baiss* "
    "chuté* chute grimp* accru accrus réduit* subi* sube crece* mejor* increment* reduj* descend* descens* caíd* "
    "steeg stijg* groei* daal* daling toegenomen afgenomen toename afname kromp* crescimento cresceu cresceram "
    "crescita cresciut* crescere crescono crescendo salit* calo calat* sces* miglior* riduz* caiu queda subiu "
    "reduziu redução alta baix* diferença differenza scarto divario steg ökning växte sjönk minskning föll högre "
    "lägre wzr* spad* zwiększ* zmniejsz* różnic* więcej mniej wyższ* niższ* बढ* बढ़* घट* वृद्धि गिरावट अंतर "
    "ارتفع* انخفض* زيادة تراجع* فرق",
    "sum": "total* combined together altogether overall sum sums both across all entire whole every zusammen insgesamt "
    "gesamt* summe alle ensemble somme totale totaux toutes tous juntos suma sumaron todos todas conjunto samen "
    "totaal totalt sammanlagt alla razem łącznie cost price refund* make makes made come comes group sold handled "
    "कुल somma complessiv* insieme soma juntas łączn* sumie ogółem إجمالي مجموع",
    "average": "average* mean avg per each overall blended weighted typical* durchschnitt* mittel* mittlere pro moyenne* "
    "moyen par promedio media medio por cada gemiddeld* genomsnitt* snitt średni* média औसत mediamente średnio "
    "przeciętn* genomsnittlig* متوسط",
    "ratio": "times twice double triple ratio fold per each rate cost average* blended overall doppelt* pro je fois par "
    "veces doble por keer dubbel* gånger weighted moyen moyenne durchschnitt* gemiddeld* promedio conjunto medio "
    "ppm share half third quarter volte doppio triplo dobro triplicou vezes razy dwukrotn* trzykrotn* maal fach* "
    "verdoppel* verdubbel* fördubbl* गुना ضعف",
    "product": "each per times total cost for x price",
    "outflow": "refund* credit* deduct* debit* deficit* return* owe owes owed outflow* shortfall withdraw* withdrew "
    "chargeback* reimburs* repaid repay* overdra* writeoff negative rückerstatt* erstatt* gutschrift* verlust* "
    "defizit* rembours* déficit* perte pertes reembols* devoluc* devolv* pérdida* abono* terugbetal* verlies* "
    "tekort* rimbors* perdit* återbetal* underskott* förlust* zwrot* prejuízo* perda*",
    "remainder": "remain* left balance rest difference* refund* save saves saved saving savings owe owes owed due short "
    "shortfall minus deduct* differenz* verbleib* übrig* restlich* restbetrag guthaben erstatt* reste restant "
    "différence* solde rembours* diferencia* resto saldo restante* reembols* verschil overblijv* terugbetal* "
    "skillnad återst* różnic* leav* leftover bleib* sobra* sobran blijv* återstå*",
    "simple": "simple unweighted arithmetic einfache* ungewichtet* ongewogen",
    "rest": "unused idle absent* absence* missing no-show* vacan* ungenutzt* fehl* abwes* leer* faltar* ausen* absen* manqu* vacant* sobr* "
    "afwez* ongebruikt* ontbr* quedan quedaron remaining rest other others not without lost churn* empty unsold free fail* crash* miss* late delayed restlich* "
    "übrig* reste autres resto overige övriga no otr* demás andere* altri altre outr*",
    "compared": "than from since until till vs versus compared against before after als seit bis von que desde depuis de dan "
    "än ahead behind beat* defeat* over replac* exceed* like unlike except excluding without by above below under "
    "rispetto contro comparado frente gegenüber verglichen vergeleken jämfört mot wobec niż",
}
_PHRASES = {
    "sum": ("in all", "au total", "en total", "in totale", "em total"),
    "average": ("im schnitt",),
    "ratio": ("for every", "for each", "mal so", "le double"),
}
_SCRIPTS = {
    "rise": "増升涨上增伸高", "fall": "減减降下跌", "difference": "増減差增减比升降涨跌伸", "sum": "合总計计总全共", "average": "平均", "ratio": "倍平"
}  # fmt: skip
_MARKS = {
    "difference": re.compile(r"\d\s?(?:pp|bps)\b|より"),
    "ratio": re.compile(r"\dx\b|[×/]"),
    "product": re.compile("×"),
}
_DERIVATIONS = ("difference", "sum", "average", "ratio", "product")
_TOKEN = re.compile("[\u0900-\u097f]+|[^\\W\\d_]+")
_PLAIN = re.compile("[a-z]+")
_EAST = re.compile("[\u3040-\u9fff]")


def _by_word(*, stems: bool) -> dict[str, frozenset[str]]:
    """The classes of each whole word, or of each stem."""
    found: dict[str, set[str]] = {}
    for name, words in _WORDS.items():
        for word in words.split():
            if word.endswith("*") is stems:
                found.setdefault(word.rstrip("*"), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


_WHOLE, _STEMS = _by_word(stems=False), _by_word(stems=True)
_LENGTHS = sorted(set(map(len, _STEMS)))
_NONE: frozenset[str] = frozenset()


@remembered(16_384)
def _kinds_of(word: str) -> frozenset[str]:
    found = _WHOLE.get(word, _NONE)
    for length in _LENGTHS:
        if length > len(word):
            break
        if names := _STEMS.get(word[:length]):
            found |= names
    return found


@remembered(4096)
def classes(text: str) -> frozenset[str]:
    """All classes of the words in *text* (``rise``, ``fall``, ``compared`` …)."""
    lower = text.lower()
    plain = lower.isascii()
    found = frozenset().union(*map(_kinds_of, (_PLAIN if plain else _TOKEN).findall(lower)))
    if not plain and _EAST.search(lower):
        found = found.union(name for name, chars in _SCRIPTS.items() if any(char in lower for char in chars))
    return found


def announced(text: str) -> set[str]:
    """The kinds of derivation that *text* announces."""
    return set(_announced(text))


@remembered(1024)
def _announced(text: str) -> set[str]:
    found = set(classes(text).intersection(_DERIVATIONS))
    lower = text.lower()
    found.update(name for name, phrases in _PHRASES.items() if any(phrase in lower for phrase in phrases))
    found.update(name for name, mark in _MARKS.items() if mark.search(lower))
    return found


def words(text: str) -> list[str]:
    """The words of *text*, lower case."""
    return _TOKEN.findall(text.lower())


def rises(text: str) -> bool:
    """Whether the words speak of a rise and of no fall."""
    found = classes(text)
    return "rise" in found and "fall" not in found


def falls(text: str) -> bool:
    """Whether the words speak of a fall, of a rise as well perhaps."""
    return "fall" in classes(text)


def differs(text: str) -> bool:
    """Whether the words speak of a difference."""
    return "difference" in classes(text)


def flows_out(text: str) -> bool:
    """Whether the words speak of what is paid back, owed or lost, so that a negative amount is written without its sign."""
    return "outflow" in classes(text)


def both(text: str) -> bool:
    """Whether the words speak of a rise, whatever else."""
    return "rise" in classes(text)


def simple_mean(text: str) -> bool:
    """Whether an unweighted mean is announced as such."""
    return "simple" in classes(text)


def the_rest(text: str) -> bool:
    """Whether the words speak of what remains."""
    return "rest" in classes(text)


def leaves_rest(text: str) -> bool:
    """Whether the words speak of what is left of an amount, or of the difference of two."""
    return "remainder" in classes(text)


def compared(text: str) -> bool:
    """Whether one thing is set against another, so that a name need not own the figure."""
    return "compared" in classes(text)
