"""Small results of many businesses, in many languages, for tests that read ordinary sentences about them."""

from __future__ import annotations

from tests.unit.checks.grounded.turns import column, result

CLINIC = result(
    [
        "ward",
        column("beds", None, "count"),
        column("admissions", None, "count"),
        column("discharges", None, "count"),
        column("no_shows", None, "count"),
        column("avg_stay_days", "d", "avg"),
    ],
    ["Cedar", 32, 412, 398, 17, 4.2],
    ["Birch", 24, 275, 281, 9, 6.8],
    ["Rowan", 18, 190, 187, 22, 3.1],
    ["Alder", 40, 533, 520, 31, 5.0],
)
SHOPS = result(
    [
        "filiale",
        column("besucher", None, "count"),
        column("kaeufe", None, "count"),
        column("umsatz_eur", "EUR", "sum"),
        column("kosten_eur", "EUR", "sum"),
        column("quadratmeter", None, "sum"),
    ],
    ["Nordtor", 18200, 2730, 81900, 61425, 420],
    ["Hafenplatz", 25400, 4064, 142240, 113792, 610],
    ["Altmarkt", 9800, 1764, 44100, 37485, 250],
)
SOLAR = result(
    [
        "site",
        column("energy_mwh", "MWh", "sum"),
        column("price", "EUR/MWh", "avg"),
        column("availability", "ratio", "ratio"),
        column("panels_k", "thousand", "sum"),
    ],
    ["Meadow", 4210, 62.5, 0.972, 12.4],
    ["Quarry", 2875, 58.0, 0.918, 8.1],
    ["Ridge", 6120, 64.2, 0.987, 17.9],
    ["Delta", 1540, 71.0, 0.941, 4.6],
)
VINO = result(
    [
        "bodega",
        column("litros", None, "sum"),
        column("botellas", None, "sum"),
        column("devueltas", None, "sum"),
        column("precio_medio", "EUR", "avg"),
    ],
    ["Robledo", 48000, 61200, 918, 7.4],
    ["Salinas", 36500, 46100, 415, 9.1],
    ["Umbría", 22400, 28900, 867, 12.3],
)
JP = result(
    ["店舗", column("来客数", None, "count"), column("売上", "JPY", "sum"), column("満足度", "%", "avg")],
    ["渋谷", 12400, 18600000, 91.2],
    ["梅田", 9800, 13720000, 88.4],
    ["博多", 7100, 8520000, 94.6],
    ["札幌", 4300, 6020000, 90.1],
)
FR = result(
    ["ligne", column("voyages", None, "count"), column("retards", None, "count"), column("recettes", "EUR", "sum")],
    ["Ligne Bleue", 1840, 92, 55200],
    ["Ligne Verte", 1210, 48, 31460],
    ["Ligne Rouge", 2260, 181, 72320],
)
LIB = result(
    [
        "branch",
        column("loans", None, "count"),
        column("overdue", None, "count"),
        column("new_members", None, "count"),
        column("staff_fte", None, "avg"),
        column("opening_hours", "h", "sum"),
        column("budget_k", "kEUR", "sum"),
    ],
    ["Harbour", 18450, 923, 310, 7.5, 208, 412],
    ["Mill Lane", 9620, 385, 142, 4.0, 160, 233],
    ["Chapel", 6210, 186, 96, 3.0, 120, 171],
    ["Northfield", 13280, 797, 255, 5.5, 184, 318],
    ["Weir", 4440, 178, 61, 2.0, 96, 120],
)
TRAM = result(
    [
        "Linie",
        column("Fahrten", None, "count"),
        column("Ausfälle", None, "count"),
        column("Verspätung_min", "min", "avg"),
        column("Fahrgäste_tsd", "thousand", "sum"),
        column("Pünktlichkeit", "%", "ratio"),
    ],
    ["Linie Rot", 1420, 18, 2.4, 610, 93.1],
    ["Linie Grün", 1190, 31, 3.8, 455, 88.6],
    ["Linie Gelb", 880, 9, 1.9, 298, 95.4],
)
YEARS = [
    result(
        [
            "year",
            column("orders", None, "count"),
            column("revenue", "EUR", "sum"),
            column("returns", None, "count"),
            column("avg_basket", "EUR", "avg"),
        ],
        ["2024", 12400, 731600, 620, 59.0],
        name="y2024",
    ),
    result(
        [
            "year",
            column("orders", None, "count"),
            column("revenue", "EUR", "sum"),
            column("returns", None, "count"),
            column("avg_basket", "EUR", "avg"),
        ],
        ["2025", 13640, 818400, 545, 60.0],
        name="y2025",
    ),
]
MONTHS = result(
    [
        "month",
        column("tickets", None, "count"),
        column("resolved", None, "count"),
        column("escalated", None, "count"),
        column("median_hours", "h", "median"),
    ],
    ["2026-01", 840, 798, 42, 6.5],
    ["2026-02", 910, 846, 55, 7.1],
    ["2026-03", 1020, 989, 38, 5.8],
)
SEED = result(
    [
        "variety",
        column("area_ha", "ha", "sum"),
        column("yield_t", "t", "sum"),
        column("cost_eur", "EUR", "sum"),
        column("germination", "ratio", "ratio"),
    ],
    ["Aral", 120, 840, 96000, 0.94],
    ["Boreo", 85, 663, 71400, 0.89],
    ["Cierzo", 60, 372, 45000, 0.97],
    ["Duna", 35, 189, 24500, 0.81],
)
NL = result(
    [
        "magazijn",
        column("orders", None, "count"),
        column("fouten", None, "count"),
        column("medewerkers", None, "avg"),
        column("kosten_eur", "EUR", "sum"),
    ],
    ["Zwolle", 15600, 234, 42, 486000],
    ["Breda", 11200, 112, 31, 352800],
    ["Venlo", 20400, 408, 55, 618000],
)
PT = result(
    ["unidade", column("consultas", None, "count"), column("faltas", None, "count"), column("receita", "BRL", "sum")],
    ["Pinheiros", 3200, 256, 480000],
    ["Lapa", 2100, 126, 304500],
    ["Santana", 2700, 297, 378000],
)
ZH = result(
    ["仓库", column("入库量", "t", "sum"), column("出库量", "t", "sum"), column("损耗率", "%", "ratio")],
    ["松江", 1820, 1650, 1.2],
    ["太仓", 2460, 2310, 0.8],
    ["嘉定", 980, 1015, 2.1],
)
SV = result(
    ["butik", column("kunder", None, "count"), column("köp", None, "count"), column("omsättning", "SEK", "sum")],
    ["Hamnen", 8200, 2460, 738000],
    ["Torget", 6100, 1525, 427000],
    ["Parken", 3900, 1404, 365040],
)
IT = result(
    ["reparto", column("ordini", None, "count"), column("resi", None, "count"), column("fatturato", "EUR", "sum")],
    ["Cucina", 1250, 50, 87500],
    ["Giardino", 840, 84, 50400],
    ["Bagno", 610, 18, 39650],
)
PL = result(
    ["oddział", column("wnioski", None, "count"), column("odrzucone", None, "count"), column("kwota", "PLN", "sum")],
    ["Gdynia", 410, 41, 1230000],
    ["Toruń", 260, 13, 702000],
    ["Opole", 330, 66, 924000],
)
BUD = result(
    [
        "department",
        column("budget", "kEUR", "sum"),
        column("actual", "kEUR", "sum"),
        column("headcount", None, "avg"),
        column("open_roles", None, "count"),
    ],
    ["Marketing", 820, 774, 12, 2],
    ["Research", 2450, 2611, 31, 5],
    ["Support", 640, 640, 18, 0],
    ["Logistics", 1310, 1245, 24, 3],
    ["Legal", 280, 301, 4, 1],
)
FLEET = result(
    [
        "depot",
        column("vans", None, "count"),
        column("out_of_service", None, "count"),
        column("km", "km", "sum"),
        column("fuel_l", "l", "sum"),
        column("avg_age_years", None, "avg"),
        column("on_time_pct", "%", "ratio"),
    ],
    ["East", 48, 6, 96000, 10560, 4.2, 91.5],
    ["West", 36, 3, 75600, 7938, 3.1, 94.2],
    ["South", 52, 9, 109200, 12558, 5.7, 87.9],
    ["Airport", 20, 1, 61000, 6100, 2.4, 96.8],
)
WK = result(
    [
        "week",
        column("sessions", None, "count"),
        column("signups", None, "count"),
        column("paid", None, "count"),
        column("mrr_added", "USD", "sum"),
    ],
    ["2026-W14", 18200, 910, 182, 10920],
    ["2026-W15", 19400, 1067, 194, 12610],
    ["2026-W16", 17600, 792, 176, 10560],
    ["2026-W17", 21000, 1260, 252, 17640],
)
ENERGIE = result(
    [
        "Gebäude",
        column("Strom_kWh", "kWh", "sum"),
        column("Fläche_m2", None, "sum"),
        column("Kosten", "EUR", "sum"),
        column("CO2_kg", "kg", "sum"),
    ],
    ["Rathaus", 84000, 2100, 25200, 31920],
    ["Schule Süd", 126000, 4500, 37800, 47880],
    ["Hallenbad", 310000, 3100, 86800, 117800],
    ["Bibliothek", 42000, 1400, 12600, 15960],
)
HOTEL = result(
    [
        "hôtel",
        column("chambres", None, "count"),
        column("nuitées", None, "sum"),
        column("revenu", "EUR", "sum"),
        column("taux_occupation", "ratio", "ratio"),
        column("note", None, "avg"),
    ],
    ["Azur", 80, 1920, 230400, 0.80, 4.4],
    ["Belvédère", 120, 2520, 378000, 0.70, 4.1],
    ["Corniche", 60, 1620, 178200, 0.90, 4.7],
)
SALUD = result(
    [
        "centro",
        column("citas", None, "count"),
        column("canceladas", None, "count"),
        column("espera_min", "min", "avg"),
        column("medicos", None, "count"),
    ],
    ["Norte", 2400, 168, 18.5, 12],
    ["Sur", 1800, 216, 24.0, 9],
    ["Este", 3000, 150, 15.2, 20],
    ["Oeste", 900, 81, 21.6, 5],
)
SINGLE = result(
    [
        column("gross", "EUR", "sum"),
        column("refunds", "EUR", "sum"),
        column("orders", None, "count"),
        column("customers", None, "count"),
    ],
    [184500, 7380, 2460, 1640],
)
JA = result(
    ["支店", column("契約数", None, "count"), column("解約数", None, "count"), column("売上高", "万円", "sum")],
    ["横浜", 1240, 62, 8680],
    ["名古屋", 980, 39, 6370],
    ["仙台", 560, 42, 3360],
)

BOOKS = result(
    ["دار_النشر", column("النسخ_المباعة", None, "sum"), column("الإيرادات_درهم", "AED", "sum")],
    ["دار الأفق", 820, 32800],
    ["دار السنبلة", 640, 28800],
)
GYM = result(
    [
        "studio",
        column("members", None, "count"),
        column("visits", None, "count"),
        column("cancelled", None, "count"),
        column("revenue", "GBP", "sum"),
        column("rating", None, "avg"),
    ],
    ["Riverside", 820, 5740, 41, 28700, 4.3],
    ["Old Mill", 610, 3660, 61, 19520, 4.6],
    ["Castle", 1130, 9040, 34, 44070, 4.1],
    ["Harbourside", 440, 2200, 44, 13640, 3.9],
)
PRINT = result(
    [
        "Maschine",
        column("Bogen", None, "sum"),
        column("Ausschuss", None, "sum"),
        column("Stillstand_h", "h", "sum"),
        column("Laufzeit_h", "h", "sum"),
    ],
    ["Alpha", 412000, 8240, 36, 264],
    ["Beta", 287000, 8610, 51, 249],
    ["Gamma", 530000, 5300, 18, 282],
)
MUSEE = result(
    ["salle", column("visiteurs", None, "count"), column("gratuits", None, "count"), column("recettes", "EUR", "sum")],
    ["Antiquités", 12400, 3100, 83700],
    ["Moderne", 8900, 1780, 71200],
    ["Photographie", 5300, 2120, 28620],
)
RIEGO = result(
    [
        "parcela",
        column("agua_m3", None, "sum"),
        column("superficie_ha", "ha", "sum"),
        column("coste_eur", "EUR", "sum"),
    ],
    ["El Soto", 42000, 14, 5040],
    ["La Vega", 63000, 18, 8190],
    ["Los Llanos", 25500, 10.2, 3315],
)
