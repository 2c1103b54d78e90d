"""
The number words of each language, as tables: what each word is worth, and the phrases for fractions and multiples.

A slash parts forms of one word. Ours rather than a library's: text2num is as fast, but rewrites the text, so that offsets
are lost, and reads no fractions, multiples, lots or halves (*two and a half million* becomes "two and a half 1000000");
num2words only writes numbers; babel reads digits only, of a locale that must be known, and no text around them.
"""

from __future__ import annotations

ONES = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
          "eighteen nineteen",
    "de": "null ein/eine/einen/einer/eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
          "sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro un/une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "es": "cero un/una/uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
          "dieciocho diecinueve veinte veintiuno/veintiún/veintiuna veintidós veintitrés veinticuatro veinticinco veintiséis "
          "veintisiete veintiocho veintinueve",
    "nl": "nul een/één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
          "achttien negentien",
    "it": "zero un/una/uno due tre/tré quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
          "diciassette diciotto diciannove",
    "pt": "zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze quatorze/catorze quinze dezesseis/dezasseis "
          "dezessete/dezassete dezoito dezenove/dezanove",
    "sv": "noll en/ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton",
    "pl": "zero jeden/jedna/jedno dwa/dwie/dwóch trzy/trzech cztery/czterech pięć/pięciu sześć/sześciu siedem/siedmiu osiem/ośmiu "
          "dziewięć/dziewięciu dziesięć/dziesięciu jedenaście/jedenastu dwanaście/dwunastu trzynaście czternaście piętnaście "
          "szesnaście siedemnaście osiemnaście dziewiętnaście",
}  # fmt: skip
TENS = {
    "en": "twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zwanzig dreißig/dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "vingt/vingts trente quarante cinquante soixante septante huitante/octante nonante",
    "es": "- treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "nl": "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
    "it": "venti/vent trenta/trent quaranta/quarant cinquanta/cinquant sessanta/sessant settanta/settant ottanta/ottant "
          "novanta/novant",
    "pt": "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "sv": "tjugo trettio fyrtio/förtio femtio sextio sjuttio åttio nittio",
    "pl": "dwadzieścia/dwudziestu trzydzieści/trzydziestu czterdzieści/czterdziestu pięćdziesiąt sześćdziesiąt siedemdziesiąt "
          "osiemdziesiąt dziewięćdziesiąt",
}  # fmt: skip
HUNDREDS = {
    "es": "cien/ciento doscientos/doscientas trescientos/trescientas cuatrocientos/cuatrocientas quinientos/quinientas "
          "seiscientos/seiscientas setecientos/setecientas ochocientos/ochocientas novecientos/novecientas",
    "pt": "cem/cento duzentos/duzentas trezentos/trezentas quatrocentos/quatrocentas quinhentos/quinhentas seiscentos/seiscentas "
          "setecentos/setecentas oitocentos/oitocentas novecentos/novecentas",
    "pl": "sto dwieście trzysta czterysta pięćset sześćset siedemset osiemset dziewięćset",
}  # fmt: skip
HUNDRED = {
    "en": "hundred", "de": "hundert", "fr": "cent/cents", "nl": "honderd", "it": "cento/cent", "sv": "hundra",
}  # fmt: skip
SCALES: dict[str, dict[float, str]] = {
    "en": {1e3: "thousand", 1e6: "million", 1e9: "billion", 1e12: "trillion"},
    "de": {1e3: "tausend", 1e6: "million/millionen", 1e9: "milliarde/milliarden", 1e12: "billion/billionen"},
    "fr": {1e3: "mille", 1e6: "million/millions", 1e9: "milliard/milliards"},
    "es": {1e3: "mil", 1e6: "millón/millones", 1e12: "billón/billones"},
    "nl": {1e3: "duizend", 1e6: "miljoen", 1e9: "miljard", 1e12: "biljoen"},
    "it": {1e3: "mila/mille", 1e6: "milione/milioni", 1e9: "miliardo/miliardi"},
    "pt": {1e3: "mil", 1e6: "milhão/milhões", 1e9: "bilhão/bilhões"},
    "sv": {1e3: "tusen", 1e6: "miljon/miljoner", 1e9: "miljard/miljarder"},
    "pl": {
        1e3: "tysiąc/tysiące/tysięcy",
        1e6: "milion/miliony/miliona/milionów",
        1e9: "miliard/miliardy/miliarda/miliardów",
    },
}
ALONE = frozenset("tausend mille mil duizend tusen tysiąc".split())
"""Magnitudes that are a number by themselves."""
GROUPS: dict[str, dict[int, str]] = {
    "en": {12: "dozen", 20: "score"},
    "de": {12: "dutzend"},
    "fr": {8: "huitaine", 10: "dizaine", 12: "douzaine/douzaines", 15: "quinzaine", 20: "vingtaine", 30: "trentaine",
           40: "quarantaine", 50: "cinquantaine", 60: "soixantaine", 100: "centaine"},
    "es": {10: "decena", 12: "docena/docenas", 20: "veintena", 30: "treintena", 100: "centenar"},
    "nl": {10: "tiental", 12: "dozijn", 20: "twintigtal", 100: "honderdtal"},
    "it": {10: "decina", 12: "dozzina/dozzine", 20: "ventina", 30: "trentina", 50: "cinquantina", 100: "centinaio"},
    "pt": {10: "dezena", 12: "dúzia/dúzias", 100: "centena"},
    "sv": {10: "tiotal", 12: "dussin", 20: "tjugotal", 100: "hundratal"},
    "pl": {12: "tuzin/tuziny/tuzinów"},
}  # fmt: skip
"""What is counted in lots; but for dozens, such a word says *about*."""
JOINTS = {
    "en": "and", "de": "und", "fr": "et", "es": "y", "nl": "en", "it": "e", "pt": "e", "sv": "och", "pl": "i",
}  # fmt: skip
GLUED = {"de": "und", "nl": "en/ën", "it": "", "sv": ""}
"""Languages that write a number as one word, with what joins ones to tens in it."""
ARTICLES = {
    "en": "a/an", "de": "ein/eine/einen/einem/einer", "fr": "un/une", "es": "un/una", "nl": "een", "it": "un/una/uno",
    "pt": "um/uma", "sv": "en/ett", "pl": "jeden/jedna",
}  # fmt: skip
HALVES = {
    "en": "a half/one half/half", "de": "ein halb/einhalb/eine halbe/ein halbes", "fr": "demi/demie", "es": "medio/media",
    "nl": "een half/half/een halve", "it": "mezzo/mezza", "pt": "meio/meia", "sv": "en halv/ett halvt/halv/halvt", "pl": "pół",
}  # fmt: skip
HALF_OF = {
    "en": "half a/half an", "de": "eine halbe/ein halbes/einer halben", "fr": "un demi/une demi", "es": "medio/media",
    "nl": "een half/een halve", "it": "mezzo/mezza", "pt": "meio/meia", "sv": "en halv/ett halvt", "pl": "pół",
}  # fmt: skip
ONE_AND_A_HALF = {
    "de": "anderthalb/eineinhalb", "nl": "anderhalf/anderhalve", "pl": "półtora",
}  # fmt: skip
GLUED_HALF = {"de": "einhalb", "nl": "ënhalf/enhalf/ënhalve/enhalve"}
POINTS = {
    "en": "point",
    "de": "komma",
    "fr": "virgule",
    "es": "coma",
    "nl": "komma",
    "it": "virgola",
    "pt": "vírgula",
    "sv": "komma",
}
PERCENTS = frozenset([("pour", "cent"), ("por", "ciento"), ("por", "cento"), ("per", "cento")])
"""Words that are a percent sign rather than a hundred."""
VAGUE = frozenset(
    "few several many couple some paar einige mehrere viele quelques plusieurs varios varias algunos algunas enkele paar "
    "verscheidene alcuni alcune qualche vários várias alguns algumas några flera kilka kilkaset parę".split()
)
"""Words that make the magnitude after them no number (*several hundred*)."""

HALF = {
    "en": "half/one half/one-half", "de": "die hälfte/der hälfte", "fr": "la moitié", "es": "la mitad", "nl": "de helft",
    "it": "la metà/metà", "pt": "a metade/metade", "sv": "hälften", "pl": "połowa/połowę/połowy",
}  # fmt: skip
DENOMINATORS: dict[str, dict[int, str]] = {
    "en": {3: "third/thirds", 4: "quarter/quarters", 5: "fifth/fifths", 6: "sixth/sixths", 7: "seventh/sevenths",
           8: "eighth/eighths", 9: "ninth/ninths", 10: "tenth/tenths"},
    "de": {3: "drittel/dritteln", 4: "viertel/vierteln", 5: "fünftel/fünfteln", 6: "sechstel", 7: "siebtel", 8: "achtel",
           9: "neuntel", 10: "zehntel"},
    "fr": {3: "tiers", 4: "quart/quarts", 5: "cinquième/cinquièmes", 6: "sixième/sixièmes", 7: "septième/septièmes",
           8: "huitième/huitièmes", 9: "neuvième/neuvièmes", 10: "dixième/dixièmes"},
    "es": {3: "tercio/tercios/tercera parte/terceras partes", 4: "cuarto/cuartos/cuarta parte/cuartas partes",
           5: "quinto/quintos/quinta parte/quintas partes", 6: "sexto/sextos/sexta parte", 8: "octavo/octavos/octava parte",
           10: "décimo/décimos/décima parte/décimas partes"},
    "nl": {3: "derde", 4: "kwart/vierde", 5: "vijfde", 6: "zesde", 7: "zevende", 8: "achtste", 9: "negende", 10: "tiende"},
    "it": {3: "terzo/terzi", 4: "quarto/quarti", 5: "quinto/quinti", 6: "sesto/sesti", 8: "ottavo/ottavi", 10: "decimo/decimi"},
    "pt": {3: "terço/terços", 4: "quarto/quartos", 5: "quinto/quintos", 6: "sexto/sextos", 8: "oitavo/oitavos",
           10: "décimo/décimos"},
    "sv": {3: "tredjedel/tredjedelar", 4: "fjärdedel/fjärdedelar", 5: "femtedel/femtedelar", 6: "sjättedel/sjättedelar",
           8: "åttondel/åttondelar", 10: "tiondel/tiondelar"},
    "pl": {3: "trzecia/trzecie/trzecią", 4: "czwarta/czwarte/czwartą", 5: "piąta/piąte/piątą", 10: "dziesiąta/dziesiąte/dziesiątą"},
}  # fmt: skip
FRACTIONS: dict[str, dict[str, float]] = {
    "de": {"dreiviertel": 3 / 4, "ein viertel": 1 / 4},
    "nl": {"driekwart": 3 / 4, "tweederde": 2 / 3},
    "sv": {"en kvart": 1 / 4},
    "pl": {"jedną trzecią": 1 / 3, "jedną czwartą": 1 / 4, "jedną piątą": 1 / 5, "ćwierć": 1 / 4},
}
MULTIPLES: dict[str, dict[float, str]] = {
    "en": {2: "twice/double/doubled/doubles/twofold/two-fold", 3: "thrice/triple/tripled/triples/threefold/three-fold/trebled",
           4: "quadruple/quadrupled/fourfold/four-fold", 5: "fivefold/five-fold/quintupled", 10: "tenfold/ten-fold"},
    "de": {2: "doppelt/das doppelte/verdoppelt/verdoppelte/zweimal/zweifach", 3: "dreimal/dreifach/das dreifache/verdreifacht/verdreifachte",
           4: "viermal/vierfach/das vierfache/vervierfacht", 5: "fünfmal/fünffach/das fünffache/verfünffacht",
           10: "zehnmal/zehnfach/das zehnfache", 1.5: "anderthalbmal/eineinhalbmal", 2.5: "zweieinhalbmal"},
    "fr": {2: "le double/doublé", 3: "le triple/triplé", 4: "le quadruple/quadruplé", 5: "le quintuple"},
    "es": {2: "el doble/duplicó/duplicaron", 3: "el triple/triplicó/triplicaron", 4: "el cuádruple", 5: "el quíntuple"},
    "nl": {2: "het dubbele/dubbel/verdubbeld/verdubbelde/tweemaal", 3: "driemaal/het drievoudige/verdrievoudigd", 4: "viermaal/het viervoudige",
           5: "vijfmaal/het vijfvoudige"},
    "it": {2: "il doppio/raddoppiato/raddoppiata/raddoppiati", 3: "il triplo/triplicato/triplicata", 4: "il quadruplo"},
    "pt": {2: "o dobro/dobrou/duplicou", 3: "o triplo/triplicou", 4: "o quádruplo"},
    "sv": {2: "dubbelt/det dubbla/dubbla/fördubblades/fördubblats", 3: "tredubbla/tredubblats/det tredubbla", 4: "fyrdubbla"},
    "pl": {2: "dwukrotnie/dwukrotność/podwoiła/podwoił/podwoiło", 3: "trzykrotnie/potroiła/potroił/potroiło", 4: "czterokrotnie", 5: "pięciokrotnie"},
}  # fmt: skip
