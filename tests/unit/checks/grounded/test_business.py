"""Ordinary sentences about query results, right and wrong, by the way their figures follow."""

from __future__ import annotations

import pytest

from monitor.conversation import ResultTable
from tests.unit.checks.grounded.business import (
    BOOKS,
    BUD,
    CLINIC,
    ENERGIE,
    FLEET,
    FR,
    GYM,
    HOTEL,
    IT,
    JA,
    JP,
    LIB,
    MONTHS,
    MUSEE,
    NL,
    PL,
    PRINT,
    PT,
    RIEGO,
    SALUD,
    SEED,
    SHOPS,
    SINGLE,
    SOLAR,
    SV,
    TRAM,
    VINO,
    WK,
    YEARS,
    ZH,
)
from tests.unit.checks.grounded.turns import figures

Results = ResultTable | list[ResultTable]


def flagged(answer: str, table: Results) -> list[str]:
    """The figures of *answer* that the check says are wrong."""
    tables = table if isinstance(table, list) else [table]
    return [figure.text for figure in figures(answer, *tables) if figure.grounded is False]


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Cedar handled 412 admissions over 32 beds.", CLINIC),
        ("Nordtor earned €81,900 over 2,730 purchases, or €30 each.", SHOPS),
    ],
)
def test_over_can_mean_across(answer: str, table: Results) -> None:
    """What an amount is spread over is no bound of it."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Birch discharged six more patients than it admitted.", CLINIC),
        ("- Cedar: 4.2 days\n- Birch: 6.8 days\n\nBirch patients stay 2.6 days longer.", CLINIC),
        ("Stays range from 3.1 to 6.8 days, a spread of 3.7 days.", CLINIC),
        ("Quarry's availability of 91.8% is 6.9 points below Ridge's 98.7%.", SOLAR),
        ("Meadow 97.2%, Quarry 91.8%: a gap of 5.4 points.", SOLAR),
        ("Harbour has a third of the budget (€412k of €1,254k).", LIB),
        ("The smallest branch, Weir, lends 4,440 items, less than a quarter of Harbour's 18,450.", LIB),
        ("Orders grew 10% from 12,400 to 13,640, and revenue by 11.9% to €818,400.", YEARS),
        ("We shipped 1,240 more orders than in 2024, and 75 fewer came back.", YEARS),
        ("Revenue rose by €86,800; the average basket is one euro bigger.", YEARS),
        ("March had 180 tickets more than January, a rise of 21%.", MONTHS),
        ("Tickets rose by 70 in February and by another 110 in March.", MONTHS),
        ("Marketing stayed €46k under budget and Logistics €65k.", BUD),
        ("In all we spent €5.57 million of a budget of €5.5 million, €71k too much.", BUD),
        ("Marketing has used 94.4% of its budget, Logistics 95%.", BUD),
        ("South trails Airport by 8.9 points on punctuality.", FLEET),
        ("South's vans are more than twice as old as Airport's, 5.7 years against 2.4.", FLEET),
        ("Week 17 brought 3,400 more sessions than week 16, up 19%.", WK),
        ("MRR added fell by $2,050 in week 16 and rose by $7,080 in week 17.", WK),
        ("Le Corniche affiche 90 % d'occupation, soit 20 points de plus que le Belvédère.", HOTEL),
        ("En Sur se espera 8,8 minutos más que en Este.", SALUD),
        ("横浜は名古屋より260件多い。", JA),
    ],
)
def test_differences_follow(answer: str, table: Results) -> None:
    """Differences follow from the rows and periods that are compared."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("After costs Nordtor keeps €20,475 and Hafenplatz €28,448.", SHOPS),
        ("Nach Kosten bleiben bei Altmarkt 6.615 Euro, über alle Filialen 55.538 Euro.", SHOPS),
        ("Nordtor setzt 30 Euro je Kauf um, Hafenplatz 35 Euro und Altmarkt 25 Euro.", SHOPS),
        ("Conversion is 15% at Nordtor, 16% at Hafenplatz and 18% at Altmarkt.", SHOPS),
        ("Margins: Nordtor 25%, Hafenplatz 20%, Altmarkt 15%.", SHOPS),
        ("Meadow's output is worth about €263,000.", SOLAR),
        ("Tasa de devolución: Robledo 1,5 %, Salinas 0,9 %, Umbría 3 %.", VINO),
        (
            "Le taux de retard est de 5 % sur la Ligne Bleue, contre 4 % sur la Ligne Verte et 8 % sur la Ligne Rouge.",
            FR,
        ),
        ("渋谷の客単価は1,500円、梅田は1,400円です。", JP),
        ("Across all 114 beds we admitted 1,410 patients, 12.4 per bed.", CLINIC),
        ("Im Schnitt kostet ein Quadratmeter 166 Euro.", SHOPS),
        ("Ridge produces four times as much as Delta.", SOLAR),
        ("5% of Harbour's loans are overdue, against 4% at Mill Lane and 3% at Chapel.", LIB),
        ("Overdue rates: Northfield 6.0%, Harbour 5.0%, Weir 4.0%.", LIB),
        ("Harbour lends 2,460 items per member of staff; Mill Lane manages 2,405.", LIB),
        ("The five branches lent 52,000 items with 22 staff, about 2,364 per head.", LIB),
        ("A loan costs €22.33 at Harbour and €24.22 at Mill Lane.", LIB),
        ("Linie Gelb ist um 6,8 Prozentpunkte pünktlicher als Linie Grün.", TRAM),
        ("The return rate fell from 5.0% to 4.0%.", YEARS),
        ("95% of January's tickets were resolved, 93% of February's and 97% of March's.", MONTHS),
        ("In the quarter 2,770 tickets came in; 2,633 were resolved and 137 are still open.", MONTHS),
        ("Aral yields 7.0 t/ha, Boreo 7.8, Cierzo 6.2 and Duna 5.4.", SEED),
        ("Aral cuesta 800 euros por hectárea, Boreo 840, Cierzo 750 y Duna 700.", SEED),
        ("Las cuatro variedades ocupan 300 hectáreas y rinden 2.064 toneladas, 6,9 por hectárea.", SEED),
        ("Una tonelada de Aral sale a 114 euros; una de Duna, a 130.", SEED),
        ("Zwolle maakte 1,5% fouten, Breda 1% en Venlo 2%.", NL),
        ("Venlo verwerkt 371 orders per medewerker, net evenveel als Zwolle.", NL),
        ("Een order kost in Breda € 31,50 en in Venlo € 30,29.", NL),
        ("Pinheiros teve 2.944 consultas realizadas e 256 faltas, uma taxa de 8%.", PT),
        ("A taxa de faltas é de 6% na Lapa e de 11% em Santana.", PT),
        ("Cada consulta rende R$ 150 em Pinheiros, R$ 145 na Lapa e R$ 140 em Santana.", PT),
        ("Ett köp är i snitt 300 kronor i Hamnen, 280 i Torget och 260 i Parken.", SV),
        ("In totale 152 resi su 2.700 ordini, pari al 5,6%.", IT),
        ("Odrzucono 10% wniosków w Gdyni, 5% w Toruniu i 20% w Opolu.", PL),
        ("That makes about €84k per head in Research and €64.5k in Marketing.", BUD),
        ("Consumption: East 11 litres per 100 km, West 10.5, South 11.5 and Airport 10.0.", FLEET),
        ("The fleet drove 341,800 km on 37,156 litres.", FLEET),
        ("Signup rates were 5.0% in week 14, 5.5% in week 15, 4.5% in week 16 and 6.0% in week 17.", WK),
        ("Over the four weeks 804 of 4,029 signups became paying customers, 20%.", WK),
        ("A new customer was worth $60 in week 14 and $70 in week 17.", WK),
        ("One in five signups pays in week 17.", WK),
        ("In week 17, 1,008 signups did not convert.", WK),
        ("Das Hallenbad verbraucht 100 kWh je Quadratmeter, das Rathaus 40 und die Schule Süd 28.", ENERGIE),
        ("Eine Kilowattstunde kostet im Rathaus 30 Cent, im Hallenbad 28 Cent.", ENERGIE),
        ("Die Kosten liegen bei insgesamt 162.400 Euro, also rund 14,63 Euro je Quadratmeter.", ENERGIE),
        ("Une nuitée rapporte 120 € à l'Azur, 150 € au Belvédère et 110 € au Corniche.", HOTEL),
        ("En Norte se cancela el 7 % de las citas, en Sur el 12 % y en Oeste el 9 %.", SALUD),
        ("Cada médico atiende 200 citas en Norte y Sur, 150 en Este y 180 en Oeste.", SALUD),
        ("En conjunto se cancelaron 615 de 8.100 citas, un 7,6 %.", SALUD),
        ("The average order is worth €75, and each customer ordered 1.5 times.", SINGLE),
        ("解約率は横浜5.0%、名古屋4.0%、仙台7.5%です。", JA),
    ],
)
def test_one_formula_for_all_that_is_listed(answer: str, table: Results) -> None:
    """One formula applies to each thing that the sentence lists, in the row that it names."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Cedar admitted 412 and discharged 398 patients, so 14 stayed on.", CLINIC),
        ("Robledo se quedó con 60.282 botellas tras las devoluciones y Salinas con 45.685.", VINO),
        ("Ligne Bleue a eu 1 748 voyages à l'heure, Ligne Verte 1 162.", FR),
        ("Unavailability at Quarry was 8.2%.", SOLAR),
        ("Quarry stood still 8.2% of the time, Delta 5.9%.", SOLAR),
        ("17,527 of Harbour's loans came back on time.", LIB),
        ("Harbour opens 208 hours a month, 48 more than Mill Lane.", LIB),
        ("Linie Rot fuhr 1.402 von 1.420 Fahrten, Linie Grün 1.159 und Linie Gelb 871.", TRAM),
        ("Unpünktlich waren bei Linie Grün 11,4 % der Fahrten, bei Linie Gelb nur 4,6 %.", TRAM),
        ("In 2025 13,095 orders were kept.", YEARS),
        ("Open at month end: 42 in January, 64 in February, 31 in March.", MONTHS),
        ("About one ticket in twenty was escalated in January.", MONTHS),
        ("El 19 % de las semillas de Duna no germinó, frente al 3 % de Cierzo.", SEED),
        ("松江净增170吨，太仓净增150吨，嘉定减少35吨。", ZH),
        ("8.5% of deliveries from East were late; South was worst with 12.1%.", FLEET),
        ("Au Belvédère, 30 % des chambres sont restées vides, contre 10 % au Corniche.", HOTEL),
        ("Quedaron 2.232 citas en Norte y 1.584 en Sur.", SALUD),
        ("Gross sales came to €184,500; after refunds of €7,380 that leaves €177,120.", SINGLE),
        ("4% of sales were refunded.", SINGLE),
    ],
)
def test_what_is_left_follows(answer: str, table: Results) -> None:
    """What is left, absent or not done is a difference or what a share leaves of the whole."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("満足度が90%を超える店舗は渋谷、博多、札幌です。", JP),
        ("満足度が90%未満なのは梅田だけです。", JP),
        ("Two sites are above 95% availability.", SOLAR),
        ("Three sites have more than 8,000 panels.", SOLAR),
        ("Wards with more than 20 no-shows: Rowan and Alder.", CLINIC),
        ("Filialen mit weniger als 10.000 Besuchern: Altmarkt.", SHOPS),
        ("Branches with a budget above €200,000: Harbour, Mill Lane and Northfield.", LIB),
        ("Three branches have a budget above €200,000.", LIB),
        ("Only Chapel and Weir have fewer than 100 new members.", LIB),
        ("损耗率超过1%的仓库有松江和嘉定。", ZH),
        ("Three of the five departments kept within budget.", BUD),
    ],
)
def test_limits_are_set_by_the_sentence(answer: str, table: Results) -> None:
    """A threshold is what the sentence sets; the rows beyond it are counted."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        (
            "| # | Ward | Admissions |\n|---|---|---|\n| 1 | Alder | 533 |\n| 2 | Cedar | 412 |\n| 3 | Birch | 275 |\n| 4 | Rowan | 190 |",
            CLINIC,
        ),
        (
            "| Platz | Filiale | Umsatz |\n|---|---|---|\n| 1 | Hafenplatz | 142.240 € |\n| 2 | Nordtor | 81.900 € |\n| 3 | Altmarkt | 44.100 € |",
            SHOPS,
        ),
        (
            "| 順位 | 店舗 | 満足度 |\n|---|---|---|\n| 1 | 博多 | 94.6% |\n| 2 | 渋谷 | 91.2% |\n| 3 | 札幌 | 90.1% |\n| 4 | 梅田 | 88.4% |",
            JP,
        ),
    ],
)
def test_places_follow_the_order(answer: str, table: Results) -> None:
    """A column of places follows the order of the values beside it."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Ridge produced most. It delivered 6,120 MWh, more than twice what Quarry did.", SOLAR),
        ("Alder is the largest ward. It has 40 beds, 8 more than Cedar.", CLINIC),
        ("Hafenplatz führt. Sie erzielt 142.240 Euro, gut 60.000 Euro mehr als Nordtor.", SHOPS),
    ],
)
def test_a_pronoun_stands_for_the_row_before(answer: str, table: Results) -> None:
    """A pronoun that opens a sentence stands for the row named before."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Cedar and Alder are full. The other two wards have beds left.", CLINIC),
        ("Rowan had 22 no-shows; the remaining three wards had 57 between them.", CLINIC),
        ("Nordtor liegt vorn. Die anderen zwei Filialen folgen.", SHOPS),
        ("La Ligne Rouge cumule le plus de retards ; les deux autres lignes en comptent 140.", FR),
        ("Robledo vendió 61.200 botellas. Las otras dos bodegas vendieron 75.000.", VINO),
        ("Harbour and Northfield account for 61% of all loans; the other three branches share 20,270.", LIB),
        ("As outras duas unidades somam R$ 682.500. Pinheiros sozinha fatura R$ 480.000.", PT),
        ("De övriga två butikerna omsätter 792 040 kronor, mot Hamnens 738 000.", SV),
        ("West and Airport are above 94%; the other two depots are below 92%.", FLEET),
        ("Die anderen drei Gebäude kommen ohne das Hallenbad auf 252.000 kWh.", ENERGIE),
        ("Los otros tres centros tienen 34 médicos, frente a los 12 de Norte.", SALUD),
    ],
)
def test_the_others_are_those_not_named(answer: str, table: Results) -> None:
    """The others are the rows that are not named, in this sentence or the one beside it."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Of 1,410 admissions, 79 were no-shows, about 5.6%.", CLINIC),
        ("Meadow sold power for about €263,000, Quarry for about €167,000.", SOLAR),
        ("Recette par voyage : 30 € pour la Ligne Bleue, 26 € pour la Ligne Verte, 32 € pour la Ligne Rouge.", FR),
        ("Es gab 8.558 Käufe, davon 4.064 am Hafenplatz.", SHOPS),
        ("Il y a eu 321 retards, dont 181 sur la Ligne Rouge.", FR),
        ("There were 79 no-shows, 31 of them at Alder.", CLINIC),
        ("Together the four sites own 43,000 panels.", SOLAR),
        ("The four wards have 114 beds.", CLINIC),
        ("Cedar and Alder took in 945 patients. That is 67% of all admissions.", CLINIC),
        ("Meadow and Ridge together deliver 10,330 MWh, 70% of the total.", SOLAR),
        ("Umbría y Salinas suman 75.000 botellas, el 55 % del total.", VINO),
        ("The average stay over all patients, weighted by admissions, is 4.9 days.", CLINIC),
        ("On average a ward has 28.5 beds.", CLINIC),
        ("Almost half of the no-shows (31 of 79) come from Alder.", CLINIC),
        ("Roughly two in five no-shows come from Alder.", CLINIC),
        ("Delta makes up about a tenth of the output.", SOLAR),
        ("Just over 40% of the energy comes from Ridge.", SOLAR),
        ("Alder sees 2.8 times as many patients as Rowan.", CLINIC),
        ("Hafenplatz macht mit 142.240 € gut die Hälfte des Umsatzes von 268.240 € aus.", SHOPS),
        ("Les recettes s'élèvent à 158 980 €, soit 29,9 € par voyage.", FR),
        ("En total se devolvieron 2.200 botellas, un 1,6 % de las 136.200 vendidas.", VINO),
        ("合計来客数は33,600人、売上は4,686万円です。", JP),
        ("渋谷と梅田で来客の66%を占めます。", JP),
        ("All five branches together cost €1.25 million.", LIB),
        ("Insgesamt fielen 58 von 3.490 Fahrten aus, das sind 1,7 %.", TRAM),
        ("Linie Rot befördert 610.000 Fahrgäste, gut 45 % aller 1.363.000.", TRAM),
        ("Je Fahrt sind das bei Linie Rot rund 430 Fahrgäste.", TRAM),
        ("Eine Fahrt der Linie Grün ist im Schnitt 3,8 Minuten verspätet, doppelt so viel wie bei Linie Gelb.", TRAM),
        ("Over both years we took €1.55 million on 26,040 orders.", YEARS),
        ("Samen verwerken de drie magazijnen 47.200 orders; Venlo neemt 43% voor zijn rekening.", NL),
        ("三个仓库入库共5,260吨，出库4,975吨。", ZH),
        ("太仓入库量占总量的47%。", ZH),
        ("Hamnen har en konvertering på 30 %, Torget 25 % och Parken 36 %.", SV),
        ("Il tasso di reso è del 4% in Cucina, del 10% in Giardino e del 3% in Bagno.", IT),
        ("Cucina vale quasi la metà del fatturato (87.500 su 177.550 euro).", IT),
        ("Łącznie wpłynęło 1000 wniosków na kwotę 2,856 mln zł.", PL),
        ("Średnia kwota wniosku: Gdynia 3000 zł, Toruń 2700 zł, Opole 2800 zł.", PL),
        ("Research overspent by €161k, or 6.6%; Legal by €21k.", BUD),
        ("Research takes nearly half of all spending.", BUD),
        ("Support spent exactly its €640k.", BUD),
        ("Legal is the smallest: four people and €301k.", BUD),
        ("19 of 156 vans are off the road, or 12%.", FLEET),
        ("At South 9 of 52 vans (17%) are out of service, at Airport only 1 of 20 (5%).", FLEET),
        ("A van at Airport covers 3,050 km, one at East 2,000 km.", FLEET),
        ("Sessions averaged 19,050 a week.", WK),
        ("Zusammen sind das 562.000 kWh, davon 55 % im Hallenbad.", ENERGIE),
        ("Die Bibliothek verursacht 16 Tonnen CO2, das Hallenbad 118 Tonnen.", ENERGIE),
        ("Les trois hôtels totalisent 260 chambres et 786 600 € de revenu.", HOTEL),
        ("Le Belvédère réalise 48 % du revenu total.", HOTEL),
        ("1,640 customers placed 2,460 orders.", SINGLE),
        ("3支店の契約数は合計2,780件、売上高は1億8,410万円です。", JA),
    ],
)
def test_totals_and_parts_follow(answer: str, table: Results) -> None:
    """Totals, parts of totals and means follow from whole columns."""
    assert [] == flagged(answer, table)


@pytest.mark.parametrize(
    ("answer", "table", "wrong"),
    [
        ("Rowan had 22 no-shows; the remaining three wards had 67 between them.", CLINIC, "67"),
        ("After costs Nordtor keeps €20,475 and Hafenplatz €24,848.", SHOPS, "€24,848"),
        ("Nach Kosten bleiben bei Altmarkt 6.615 Euro, über alle Filialen 58.538 Euro.", SHOPS, "58.538 Euro"),
        ("Ligne Bleue a eu 1 748 voyages à l'heure, Ligne Verte 1 612.", FR, "1 612"),
        ("Nordtor setzt 30 Euro je Kauf um, Hafenplatz 38 Euro und Altmarkt 25 Euro.", SHOPS, "38 Euro"),
        ("Conversion is 15% at Nordtor, 16% at Hafenplatz and 28% at Altmarkt.", SHOPS, "28%"),
        ("Meadow sold power for about €263,000, Quarry for about €187,000.", SOLAR, "€187,000"),
        ("Recette par voyage : 30 € pour la Ligne Bleue, 29 € pour la Ligne Verte.", FR, "29 €"),
        (
            "| # | Ward | Admissions |\n|---|---|---|\n| 1 | Alder | 533 |\n| 2 | Birch | 275 |\n| 3 | Cedar | 412 |",
            CLINIC,
            "2",
        ),
        (
            "| Platz | Filiale | Umsatz |\n|---|---|---|\n| 1 | Hafenplatz | 142.240 € |\n| 3 | Nordtor | 81.900 € |",
            SHOPS,
            "3",
        ),
        ("Es gab 8.858 Käufe, davon 4.064 am Hafenplatz.", SHOPS, "8.858"),
        ("Of 1,410 admissions, 89 were no-shows.", CLINIC, "89"),
        ("Across all 141 beds we admitted 1,410 patients.", CLINIC, "141"),
        ("Umbría y Salinas suman 75.000 botellas, el 65 % del total.", VINO, "65 %"),
        ("- Cedar: 4.2 days\n- Birch: 6.8 days\n\nBirch patients stay 3.6 days longer.", CLINIC, "3.6 days"),
        ("Quarry stood still 8.2% of the time, Delta 7.9%.", SOLAR, "7.9%"),
        ("渋谷の客単価は1,500円、梅田は1,800円です。", JP, "1,800円"),
        ("Harbour lends 2,460 items per member of staff; Mill Lane manages 2,045.", LIB, "2,045"),
        ("The five branches lent 52,000 items with 28 staff.", LIB, "28"),
        ("Harbour has used up its €412k, the other four share €824k.", LIB, "€824k"),
        ("Linie Rot befördert 610.000 Fahrgäste, gut 54 % aller 1.363.000.", TRAM, "54 %"),
        ("Tickets rose by 70 in February and by another 130 in March.", MONTHS, "130"),
        ("Aral cuesta 800 euros por hectárea, Boreo 890 y Duna 700.", SEED, "890"),
        ("Een order kost in Breda € 31,50 en in Venlo € 32,29.", NL, "€ 32,29"),
        ("A taxa de faltas é de 6% na Lapa e de 17% em Santana.", PT, "17%"),
        ("松江净增170吨，太仓净增180吨。", ZH, "180吨"),
        ("Hamnen har en konvertering på 30 %, Torget 25 % och Parken 39 %.", SV, "39 %"),
        ("Research overspent by €191k; Legal by €21k.", BUD, "€191k"),
        ("At South 9 of 52 vans (27%) are out of service.", FLEET, "27%"),
        ("MRR added fell by $2,050 in week 16 and rose by $7,980 in week 17.", WK, "$7,980"),
        ("Le Corniche affiche 90 % d'occupation, soit 25 points de plus que le Belvédère.", HOTEL, "25 points"),
        ("Cada médico atiende 200 citas en Norte y 120 en Oeste.", SALUD, "120"),
        ("Gross sales came to €184,500; after refunds of €7,380 that leaves €171,720.", SINGLE, "€171,720"),
        ("3支店の契約数は合計2,780件、売上高は1億9,410万円です。", JA, "1億9,410万円"),
        ("باعت دار السنبلة 640 نسخة، ودار الأفق 910 نسخة.", BOOKS, "910"),
        ("بلغ الإيراد للنسخة ٤٠ درهمًا لدى دار الأفق، و٥٢ درهمًا لدى دار السنبلة.", BOOKS, "٥٢ درهمًا"),
    ],
)
def test_another_number_in_the_same_sentence_is_wrong(answer: str, table: Results, wrong: str) -> None:
    """What explains the right number of a sentence does not explain another one in its place, and no other figure is accused."""
    assert [wrong] == flagged(answer, table)


@pytest.mark.parametrize(
    "answer",
    [
        "باعت دار السنبلة 640 نسخة، ودار الأفق 820 نسخة.",
        "بلغ الإيراد للنسخة ٤٠ درهمًا لدى دار الأفق، و٤٥ درهمًا لدى دار السنبلة.",
        "باعت الداران 1,460 نسخة بإيرادات قدرها 61,6 ألف درهم.",
    ],
)
def test_arabic_prefixes_are_no_part_of_names_and_numbers(answer: str) -> None:
    """*And* and *by* may be written as one with a name or number; the article does not tell a word from another."""
    assert [] == flagged(answer, BOOKS)


def test_people_averaged_over_time_add_up_but_other_averages_do_not() -> None:
    """Heads are counted; ages are not."""
    assert ([], ["15.4"]) == (
        flagged("89 people work here, the headcount of all departments.", BUD),
        flagged("The total age is 15.4.", FLEET),
    )


@pytest.mark.parametrize(
    ("answer", "table"),
    [
        ("Riverside members come seven times a month, Old Mill's six times and Castle's eight times.", GYM),
        ("Castle lost 34 of its 1,130 members, or 3.0%; Old Mill lost 10%.", GYM),
        ("A visit earns £5.00 at Riverside, £5.33 at Old Mill and £4.88 at Castle.", GYM),
        ("All four studios have 3,000 members between them; 180 cancelled, 6%.", GYM),
        ("Harbourside brings in £31 per member, Riverside £35.", GYM),
        ("779 Riverside members stayed.", GYM),
        ("Castle is the biggest with 38% of members and 42% of revenue.", GYM),
        ("Without Castle the studios took £61,860.", GYM),
        ("Harbourside is rated 3.9, 0.7 below Old Mill.", GYM),
        ("Two studios are rated above 4.2.", GYM),
        ("Alpha hatte 2 % Ausschuss, Beta 3 % und Gamma 1 %.", PRINT),
        ("Gut gedruckt wurden bei Alpha 403.760 Bogen, bei Beta 278.390.", PRINT),
        ("Insgesamt entstanden 22.150 Bogen Ausschuss auf 1,229 Millionen Bogen, also 1,8 %.", PRINT),
        ("Beta stand 17 % der Zeit still, Alpha 12 % und Gamma 6 %.", PRINT),
        ("Gamma schafft 1.879 Bogen je Stunde, Alpha 1.561.", PRINT),
        ("Die übrigen beiden Maschinen standen 87 Stunden still, Gamma nur 18.", PRINT),
        (
            "Un quart des visiteurs des Antiquités entrent gratuitement, contre 20 % pour le Moderne et 40 % pour la Photographie.",
            MUSEE,
        ),
        ("9 300 visiteurs ont payé leur entrée aux Antiquités, 7 120 au Moderne.", MUSEE),
        ("Chaque entrée rapporte en moyenne 6,90 €.", MUSEE),
        ("Au total, 7 000 des 26 600 visiteurs n'ont rien payé, soit 26 %.", MUSEE),
        ("El Soto gasta 3.000 m³ por hectárea, La Vega 3.500 y Los Llanos 2.500.", RIEGO),
        ("El metro cúbico cuesta 0,12 € en El Soto y 0,13 € en La Vega.", RIEGO),
        ("La Vega consume 21.000 m³ más que El Soto, un 50 % más.", RIEGO),
        ("En conjunto se regaron 42,2 hectáreas con 130.500 m³.", RIEGO),
    ],
)
def test_lists_of_one_formula_in_more_languages(answer: str, table: Results) -> None:
    """Rates, parts of a whole in two columns, what is left and what the others have follow from the row named."""
    assert [] == flagged(answer, table)
