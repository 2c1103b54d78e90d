"""
Which of the cells with a figure's value the sentence means, or what stands against it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from monitor.checks.grounded import match
from monitor.checks.grounded.claims.expect import Expect
from monitor.checks.grounded.claims.pairs import pair_of
from monitor.checks.grounded.context.asides import apart, is_aside
from monitor.checks.grounded.context.naming import Expectation
from monitor.checks.grounded.context.owner import owner
from monitor.checks.grounded.context.scope import View, nearness
from monitor.checks.grounded.derivations.formulas import SHARES
from monitor.checks.grounded.evidence.index import Cell, Evidence
from monitor.checks.grounded.evidence.labels import is_total
from monitor.checks.grounded.sources import is_base
from monitor.checks.grounded.text import announce, units
from monitor.checks.grounded.text.names import column_words, stem, telling_words, words_in
from monitor.remember import remembered

MAX_CANDIDATES = 300
NARROW = 12
"""Columns up to which it is seen at a glance that the words name one alone."""
WIDE = 4
"""Columns from which a table's headings tell one value from another."""
DENSE = 0.4
"""Where more of the numbers alike stand in the evidence, a cell that no word names explains nothing."""
_BACK = re.compile(
    r"\b(?:before|previous\w*|earlier|last|prior|than|from|compared|versus|vs|was|were|had been|up|down|rose|fell|zuvor|vorher\w*|vorig\w*|letzt\w*|"
    r"précéd\w*|anterior\w*|vorige|als|unlike|again)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\s(?:longer|shorter|higher|lower|cheaper|dearer|faster|slower|younger|older|länger|kürzer|höher|niedriger|teurer|billiger|de plus|de moins|"
    r"más|menos|langer|korter|hoger|lager|längre|kortare|högre|lägre|in più|in meno|a mais|a menos)\b",
    re.IGNORECASE,
)
_CHANGES = frozenset(["change", "growth", "delta", "diff", "differ", "varian", "yoy", "mom", "qoq"])
_COMPARATIVE = re.compile(
    r"\s(?:lower|higher|more|less|fewer|above|below|better|worse|ahead|behind|höher|niedriger|mehr|weniger|über|unter|besser|schlechter|"
    r"de plus|de moins|supérieure?s?|inférieure?s?|au-dessus|au-dessous|más|menos|superior|inferior|por encima|por debajo|"
    r"hoger|lager|meer|minder|boven|onder)\b",
    re.IGNORECASE,
)
_SIGNED = (units.PERCENT, units.POINTS, units.BASIS, "°C", "°F")
_AMOUNTS = frozenset(
    stem(word)
    for word in "amount balance payment payments paid refund credit debit charge transaction betrag saldo".split()
)
_EARNED = re.compile(
    r"\b(?:profit|surplus|gain|earn|contribut|income|revenue|gewinn|überschuss|bénéfice|excédent|ganancia|winst)",
    re.IGNORECASE,
)


class Binding(NamedTuple):
    """The *cell* that explains a figure; with a *fault* (``wrong_row``, ``sign`` …) the cell it was taken from and the *right* one."""

    cell: Cell
    fault: str = ""
    right: Cell | None = None
    expected: tuple[Cell, ...] = ()


class Binder:
    """Binds the figures of one answer to cells. *accuse*: a figure that the words expect elsewhere is looked for no further."""

    def __init__(self, evidence: Evidence, definitions: dict[str, str], *, accuse: bool = True) -> None:
        self.evidence, self.definitions, self.accuse = evidence, definitions, accuse
        self._described: dict[int, list[frozenset[str]]] = {}
        self.expect = Expect(evidence, definitions)
        self.narrow = any(len(table.columns) <= NARROW for table in evidence.tables)

    def bind(self, view: View, *, raw: bool) -> Binding | None:
        """The best cell for the figure of *view*; None when no cell has its value. *raw*: see ``match.candidates``."""
        plain = self._plain(view, raw=raw) if self.narrow else None
        if plain:
            return plain
        expected = self.expect.find(view)
        known = self._as_expected(view, expected, raw=raw) if expected else None
        if known and (self.accuse or not known.fault):
            return known
        return self._by_value(view, raw=raw)

    def _by_value(self, view: View, *, raw: bool) -> Binding | None:
        """The nearest of the cells that have the figure's value, or what stands against all of them."""
        turned = view.sentence.says("fall") or view.sentence.says("outflow") or view.wrapped()
        found = match.candidates(view.figure, self.evidence, turned=turned, raw=raw)
        cells = [item for item, _ in zip(found, range(MAX_CANDIDATES), strict=False)]
        if not cells:
            return None
        self.evidence.spend(2 * len(cells))
        if len(cells) > 1:
            keys = nearness(view, [cell for cell, _ in cells])
            cells = [item for _, item in sorted(zip(keys, cells, strict=True))]
        fault: Binding | None = None
        loose: Binding | None = None
        for cell, turned in cells:
            if self._level(view, cell):
                continue
            named = view.named(cell.table)
            self.evidence.spend(3)
            if named.rows and cell.row not in named.rows:
                self.evidence.spend(25)
                accused = (
                    (self._owned(view, cell) or (named.firm and not owner(view, cell.table).contested))
                    and not view.figure.year
                    and not self._part_of_total(view, cell)
                )
                right = self._instead(view, cell, named.rows) if accused else None
                if right is None or self._called(view, cell.row, cell.table, named.rows):
                    loose = loose or Binding(cell)
                else:
                    fault = fault or Binding(cell, "wrong_row", right)
                continue
            newer = self._newer(view, cell)
            if newer is not None:
                fault = fault or Binding(cell, "earlier_turn", newer)
                continue
            column = None if view.figure.year else self._better_column(view, cell)
            if column is not None:
                fault = fault or Binding(cell, "wrong_column", cell._replace(column=column))
                continue
            if self._wrong_direction(view, cell, turned=turned):
                fault = fault or Binding(cell, "direction", cell)
                continue
            return self._checked(view, Binding(cell), cells)
        return fault or (self._checked(view, loose, cells) if loose else None)

    def _plain(self, view: View, *, raw: bool) -> Binding | None:
        """The only cell that has the figure's value, where the words beside it name its row, and its column alone: most figures."""
        figure = view.figure
        if figure.bound or figure.year or figure.word or figure.unit == units.POINTS or view.asked:
            return None
        found = list(islice(match.candidates(figure, self.evidence, turned=False, raw=raw), 2))
        if len(found) != 1:
            return None
        cell = found[0][0]
        table, named = self.evidence.tables[cell.table], view.named(cell.table)
        if table.earlier or len(table.columns) > NARROW or not named.firm or named.rows != {cell.row}:
            return None
        near = view.near()
        told = [c for c, name in enumerate(table.columns) if (words := telling_words(name)) and words <= near]
        own = telling_words(table.columns[cell.column])
        return Binding(cell) if told == [cell.column] and own.isdisjoint(_CHANGES) else None

    def _level(self, view: View, cell: Cell) -> bool:
        """Whether *cell* holds a level, where the figure is said to be the points by which one is apart from another."""
        if view.figure.unit != units.POINTS or self.evidence.unit(cell) == units.POINTS:
            return False
        name = telling_words(self.evidence.tables[cell.table].columns[cell.column])
        after = view.sentence.text[view.figure.end - view.sentence.start :][:20]
        return name.isdisjoint(_CHANGES) and _COMPARATIVE.match(after) is not None

    def _as_expected(self, view: View, expected: Expectation, *, raw: bool) -> Binding | None:
        """The cell that the words mean, or, where they leave no other, what stands against it; None when they do not tell."""
        for cell in expected.cells:
            if self.expect.fits(view, cell):
                wrong = self._wrong_direction(view, cell, turned=False)
                return Binding(cell, "direction", cell) if wrong else Binding(cell)
        right = expected.cells[0]
        comparable = units.factor(self.evidence.unit(right), view.figure.unit) is not None or not self.evidence.unit(
            right
        )
        if not expected.strong or view.figure.bound or not comparable or self._turned(view, expected.cells):
            return None
        if is_base(view) or _MORE.match(view.sentence.text, view.figure.end - view.sentence.start):
            return None
        places = {(cell.table, cell.row) for cell in expected.cells}
        columns = {(cell.table, cell.column) for cell in expected.cells}
        row = other = None
        for cell, _ in islice(match.candidates(view.figure, self.evidence, turned=False, raw=raw), MAX_CANDIDATES):
            table = self.evidence.tables[cell.table]
            if table.earlier and table.columns[cell.column] == self.evidence.tables[right.table].columns[right.column]:
                return Binding(cell, "earlier_turn", right, expected.cells)
            if (cell.table, cell.column) in columns:
                other = other or cell
            elif (cell.table, cell.row) in places:
                row = row or cell
        if other and not (row and self._akin(row, expected.cells)):
            return Binding(other, "wrong_row", right, expected.cells)
        if row and not self._dense(view) and not self.expect.naming.fully(view, right):
            return Binding(row)
        if row:
            return Binding(row, "wrong_column", right, expected.cells)
        return Binding(right, "wrong_value", right, expected.cells)

    def _akin(self, cell: Cell, expected: tuple[Cell, ...]) -> bool:
        """Whether *cell* stands in a column of the group that one of *expected* does (``trains.run``, ``trains.on_time``)."""
        columns = self.evidence.tables[cell.table].columns
        group = columns[cell.column].partition(".")[0]
        return any(c.table == cell.table and columns[c.column].startswith(f"{group}.") for c in expected)

    def _dense(self, view: View) -> bool:
        """Whether a number like the figure stands in the evidence by accident."""
        reading = view.figure.readings[0]
        return self.evidence.density(reading.value, reading.half) > DENSE

    def _owned(self, view: View, cell: Cell) -> bool:
        """Whether the figure surely belongs to another row."""
        own = owner(view, cell.table)
        if any(
            c.table == cell.table and c.column == cell.column for m in view.sentence.mentions() for c in m.cells[:50]
        ):
            return False
        if not own.sure or cell.row in own.rows or is_total(self.evidence, cell.table, cell.row):
            return False
        label = _label_words(tuple(self.evidence.tables[cell.table].rows[cell.row]))
        alike = any(_label_words(tuple(self.evidence.tables[cell.table].rows[row])) <= label for row in own.rows)
        return not alike and not is_aside(view) and not apart(view)

    def _turned(self, view: View, cells: tuple[Cell, ...]) -> bool:
        """Whether the figure is the value of one of *cells* but for its sign: what the words say of it decides."""
        return any(
            match.fits(view.figure, -value, self.evidence.unit(cell))
            for cell in cells
            if (value := self.evidence.value(cell)) is not None and value < 0
        )

    def _checked(self, view: View, found: Binding, cells: list[tuple[Cell, bool]]) -> Binding:
        """*found*, or a coincidence: a cell of which the words say nothing, where every other number has one like it."""
        figure = view.figure
        if figure.word or figure.year or figure.unit or figure.bound or view.asked:
            return found
        pair = pair_of(view)
        pair = pair if pair and pair.tight else None
        if len(self.evidence.tables[found.cell.table].columns) < WIDE or (view.joined() and not pair):
            return found
        if not pair and view.means(found.cell):
            return found
        if not self._dense(view):
            return found
        if not pair and any(self.expect.naming.spoken(view, cell) for cell, _ in cells):
            return found
        return found._replace(fault="coincidence")

    def unsigned(self, view: View) -> Binding | None:
        """
        A negative cell, for a figure that nothing else gives: a fault, but for amounts that people write without sign.

        What is paid, refunded or balanced may be said without its sign, unless the words say that it rose or was earned.
        """
        figure = view.figure
        if figure.signed or figure.word or figure.year:
            return None
        rising = announce.both(view.clause_text)
        for cell, turned in match.candidates(figure, self.evidence, turned=True, raw=False):
            named = view.named(cell.table)
            if not turned or (named.firm and cell.row not in named.rows):
                continue
            telling = telling_words(self.evidence.tables[cell.table].columns[cell.column])
            owned = cell.row in named.rows or len(self.evidence.tables[cell.table].rows) == 1
            if rising and (owned or telling & _CHANGES):
                return Binding(cell, "direction", cell)
            amount = not _AMOUNTS.isdisjoint(column_words(self.evidence.tables[cell.table].columns[cell.column]))
            if amount and not rising and figure.unit not in _SIGNED and not earned(view.sentence.text):
                return Binding(cell)
            if owned:
                return Binding(cell, "sign", cell)
        return None

    def _newer(self, view: View, cell: Cell) -> Cell | None:
        """What this turn's result says where *cell* is an earlier one's, and the words do not look back."""
        old = self.evidence.tables[cell.table]
        if not old.earlier or _BACK.search(view.sentence.text):
            return None
        name = old.columns[cell.column].lower()
        for t, table in enumerate(self.evidence.tables):
            if table.earlier or not table.is_result:
                continue
            for column, other in enumerate(table.columns):
                if other.lower() != name:
                    continue
                named = view.named(t)
                rows = named.rows if named.firm else (range(1) if len(table.rows) == 1 else ())
                values = [Cell(t, row, column) for row in rows]
                found = [
                    c
                    for c in values
                    if (value := self.evidence.value(c)) is not None
                    and not match.fits(view.figure, value, self.evidence.unit(c))
                ]
                if len(rows) == 1 and found:
                    return found[0]
        return None

    def _part_of_total(self, view: View, cell: Cell) -> bool:
        """Whether the value is a total row's, and the words speak of the whole (``99 of the 397 seats``)."""
        if not is_total(self.evidence, cell.table, cell.row):
            return False
        whole = not {"of", "total", "all", "overall", "out"}.isdisjoint(view.before[-4:])
        return whole or view.preceded("of", "of the", "of all")

    def _instead(self, view: View, cell: Cell, rows: frozenset[int]) -> Cell | None:
        """The cell of the named row, in the column of the value; None when nothing stands there."""
        for row in sorted(rows)[:5]:
            other = cell._replace(row=row)
            value = self.evidence.value(other)
            own = self.evidence.own_unit(cell)
            if own and view.figure.unit == own and self.evidence.own_unit(other) != own:
                return None
            if value is not None and row >= self.evidence.tables[cell.table].header_rows:
                unit = self.evidence.unit(other) or ("ratio" if match.is_share(self.evidence, other) else "")
                return None if match.fits(view.figure, value, unit) else other
        return None

    def _called(self, view: View, row: int, table: int, named: frozenset[int]) -> bool:
        """Whether a word of the row's own label, that the named rows do not share, stands where it may own the figure."""
        label = _label_words(tuple(self.evidence.tables[table].rows[row]))
        if not label:
            return any(row in group for group in view.named(table).wide)
        shared: set[str] = set()
        for other in list(named)[:5]:
            shared |= _label_words(tuple(self.evidence.tables[table].rows[other]))
        return not (label - shared).isdisjoint(words_in(view.shared_text))

    # -- columns -------------------------------------------------------------------------------------------------------

    def _better_column(self, view: View, cell: Cell) -> int | None:
        """Another column that the words beside the figure name, when they do not name the cell's own."""
        table = self.evidence.tables[cell.table]
        if not table.is_result or len(table.columns) > 200:
            return None
        own = telling_words(table.columns[cell.column])
        deed = self._deed_column(view, cell, own)
        if deed is not None:
            return deed
        if not own.isdisjoint(view.before[-5:]) or own & view.deed:
            return None
        beside = frozenset(view.noun) | frozenset(words_in(view.heading)) | frozenset(view.before[-5:])
        if not beside or not self._names(cell.table, cell.column, beside).isdisjoint(beside):
            return None
        rows = view.named(cell.table).rows
        if not rows and len(table.rows) > 1:
            return None
        self.evidence.spend(2 * len(table.columns))
        for column in range(len(table.columns)):
            telling = telling_words(table.columns[column])
            full = (telling and telling <= beside) or self._described_by(cell.table, column, beside)
            if not full or column == cell.column:
                continue
            other = cell._replace(column=column)
            value = self.evidence.value(other)
            if (
                value is not None
                and self._comparable(view, cell, other)
                and not match.fits(view.figure, value, self.evidence.unit(other))
            ):
                return column
        return None

    def _deed_column(self, view: View, cell: Cell, own: frozenset[str]) -> int | None:
        """The column of what the words say was done (``cancelled``), where the figure stands in that of the things themselves."""
        noun = frozenset(view.noun)
        deed = view.deed - own if own and own <= noun else frozenset()
        table = self.evidence.tables[cell.table]
        if not deed or (len(table.rows) > 1 and not view.named(cell.table).rows):
            return None
        for column, name in enumerate(table.columns):
            telling = telling_words(name)
            other = cell._replace(column=column)
            value = self.evidence.value(other)
            if not telling & deed or not telling <= deed | noun or value is None:
                continue
            alike = table.additive[column] and self.evidence.unit(cell) == self.evidence.unit(other)
            if alike and not match.fits(view.figure, value, self.evidence.unit(other)):
                return column
        return None

    def _comparable(self, view: View, cell: Cell, other: Cell) -> bool:
        """Whether the figure could be said of *other*'s column at all: its unit, and no ordinary noun for another."""
        unit = self.evidence.unit(other)
        if units.factor(unit, view.figure.unit) is None:
            return False
        if unit in SHARES and not view.figure.unit and self.evidence.unit(cell) != unit:
            return False
        if view.figure.unit == units.PERCENT and not unit:
            return match.is_share(self.evidence, other)
        if (
            not view.figure.unit
            and view.figure.readings[0].value > 2
            and self.evidence.holds_ratios(other.table, other.column)
        ):
            return False
        own = self.evidence.unit(cell)
        if view.figure.unit and own and not unit:
            return False
        return (
            own == unit
            or not own
            or not unit
            or not units.known(unit)
            or not units.known(own)
            or bool(view.figure.unit)
        )

    def _names(self, table: int, column: int, _beside: frozenset[str]) -> frozenset[str]:
        return telling_words(self.evidence.tables[table].columns[column]) | self._descriptions(table)[column]

    def _described_by(self, table: int, column: int, beside: frozenset[str]) -> bool:
        return not self._descriptions(table)[column].isdisjoint(beside)

    def _descriptions(self, table: int) -> list[frozenset[str]]:
        """For each column the words of its definition's first clause that no other column's name or definition has."""
        known = self._described.get(table)
        if known is None:
            columns = self.evidence.tables[table].columns
            words = [_main_words(self.definitions.get(name.lower(), "")) for name in columns]
            counted = Counter(
                word for own, name in zip(words, columns, strict=True) for word in own | telling_words(name)
            )
            known = self._described[table] = [frozenset(word for word in own if counted[word] == 1) for own in words]
        return known

    def _wrong_direction(self, view: View, cell: Cell, *, turned: bool) -> bool:
        """A change that is stated against its sign."""
        name = telling_words(self.evidence.tables[cell.table].columns[cell.column])
        value = self.evidence.value(cell)
        if not value or view.figure.signed or not name & _CHANGES:
            return False
        text = view.clause_text
        if value < 0:
            return not turned and announce.rises(text)
        return announce.falls(text) and not announce.both(text)


def earned(text: str) -> bool:
    """Whether the words speak of profit, income or another gain, whose minus must be said."""
    return _EARNED.search(text) is not None


_STOP = re.compile(r"[.;:(\n]|\bwhich\b|\bthat\b")
_SMALL = frozenset(
    "the and for with per from that this all each are was were has have not only share number percent total average measur rate "
    "ratio divide count sum amount value between after before than more less those which their its out".split()
)


@remembered(4096)
def _main_words(definition: str) -> frozenset[str]:
    """The content words of a definition's first clause, at most eight."""
    if not definition:
        return frozenset()
    stop = _STOP.search(definition)
    words = [word for word in words_in(definition[: stop.start()] if stop else definition) if len(word) > 2]
    return frozenset(word for word in words[:8] if word not in _SMALL)


@remembered(4096)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(word for word in words_in(text[:200]) if len(word) > 2)


def _label_words(row: tuple[object, ...]) -> set[str]:
    """The stemmed words of a row's text cells."""
    out: set[str] = set()
    for cell in row[:12]:
        if isinstance(cell, str):
            out |= _words_of(cell)
    return out
