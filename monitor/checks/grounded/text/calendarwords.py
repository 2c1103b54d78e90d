"""
The names of months, weekdays and quarters, in the languages that answers are written in.
"""

from __future__ import annotations

_LATIN = (
    "january jan januar janvier enero gennaio janeiro januari janv stycznia styczeń styczniu ene",
    "february feb februar février fevrier febrero febbraio fevereiro februari févr lutego luty lutym fev",
    "march mar märz maerz mars marzo março maart mrz marca marzec marcu mrt",
    "april apr avril abril aprile avr kwietnia kwiecień kwietniu abr",
    "may mai mayo maggio maio mei maj maja maju",
    "june jun juni juin junio giugno junho czerwca czerwiec czerwcu giu",
    "july jul juli juillet julio luglio julho juil lipca lipiec lipcu lug",
    "august aug août aout agosto augustus augusti sierpnia sierpień sierpniu",
    "september sep sept septembre septiembre settembre setembro września wrzesień wrześniu",
    "october oct oktober octobre octubre ottobre outubro okt października październik październiku ott",
    "november nov novembre noviembre novembro listopada listopad listopadzie",
    "december dec dezember décembre decembre diciembre dicembre dezembro december dez déc grudnia grudzień grudniu dic",
)
_OTHER = (
    "जनवरी يناير", "फरवरी फ़रवरी फ़रवरी فبراير", "मार्च مارس", "अप्रैल أبريل", "मई مايو", "जून يونيو", "जुलाई يوليو", "अगस्त أغسطس",
    "सितंबर सितम्बर سبتمبر", "अक्टूबर अक्तूबर أكتوبر", "नवंबर नवम्बर نوفمبر", "दिसंबर दिसम्बर ديسمبر",
)  # fmt: skip
_WEEKDAYS = (
    "monday mon montag mo lundi lun lunes lunedì maandag måndag mån segunda poniedziałek",
    "tuesday tue tues dienstag di mardi mar martes martedì dinsdag tisdag tis terça wtorek",
    "wednesday wed mittwoch mi mercredi mer miércoles mié mercoledì woensdag onsdag ons quarta środa środę",
    "thursday thu thur thurs donnerstag do jeudi jeu jueves jue giovedì donderdag torsdag tors quinta czwartek",
    "friday fri freitag fr vendredi ven viernes vie venerdì vrijdag fredag fre sexta piątek",
    "saturday sat samstag sa samedi sam sábado sáb sabato zaterdag lördag lör sonnabend sobota sobotę",
    "sunday sun sonntag so dimanche dim domingo dom domenica zondag söndag sön niedziela niedzielę",
)
_QUARTERS = (
    "first opening 1st erste ersten erstes premier primer primo primeiro eerste första 1er 1. 1º 1.º 1e 1:a",
    "second 2nd zweite zweiten zweites deuxième segundo secondo tweede andra 2e 2. 2º 2.º 2:a",
    "third 3rd dritte dritten drittes troisième tercer terzo terceiro derde tredje 3e 3. 3º 3.º 3:e",
    "fourth final closing 4th vierte vierten viertes quatrième cuarto quarto vierde fjärde 4e 4. 4º 4.º 4:e",
)


def _numbered(rows: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: number for number, names in enumerate(rows, first) for name in names.split()}


LATIN_MONTHS = _numbered(_LATIN, 1)
OTHER_MONTHS = _numbered(_OTHER, 1)
MONTHS: dict[str, int] = {**LATIN_MONTHS, **OTHER_MONTHS}
WEEKDAYS: dict[str, int] = _numbered(_WEEKDAYS, 0)
ORDINALS: dict[str, int] = _numbered(_QUARTERS, 1)
