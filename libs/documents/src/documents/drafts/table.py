"""The parts table of a draft: columns under other names, figures with units, and names of methods and materials."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from parts_catalog.parts import UnknownPartError, part

from documents.drafts.lines import DraftLine
from documents.drafts.markdown import without_decoration
from documents.markdown import table
from documents.parser import parse_number
from documents.parts_table import BOUGHT, HEADER, NOT_ESTIMATED

_COLUMNS: Mapping[str, str] = {
    **dict.fromkeys(("part", "part name", "name", "component", "item", "piece"), "part"),
    **dict.fromkeys(("count", "qty", "quantity", "number", "pcs", "pieces", "no", "number of pieces"), "count"),
    **dict.fromkeys(("method", "process", "manufacturing", "manufacturing method", "made by", "how made"), "method"),
    **dict.fromkeys(
        ("material", "material id", "material or part id", "material part id", "material or catalog id"), "material"
    ),
    **dict.fromkeys(("mass", "mass each", "mass per piece", "weight", "weight each", "unit mass"), "mass_g"),
    **dict.fromkeys(("price", "cost", "unit price", "price each", "cost each", "price per piece"), "price_usd"),
}
_UNITS: Mapping[str, Mapping[str, int]] = {
    "mass_g": {"": 1, "g": 1, "gram": 1, "grams": 1, "kg": 1000},
    "price_usd": {"": 1, "usd": 1, "us": 1, "dollar": 1, "dollars": 1},
}
_OPTIONAL = ("mass_g", "price_usd")
_INDEX = "#"
_METHODS: Mapping[str, str] = {
    **{name: facts.id for facts in METHODS.values() for name in facts.synonyms},
    **dict.fromkeys(("catalog", "catalogue", "bought", "buy", "purchased", "off the shelf", "cots", "bought part",
                     "catalog part"), BOUGHT),
}  # fmt: skip
_MATERIALS: Mapping[str, str] = {
    **{re.sub(r"[^a-z0-9]", "", name): name for name in MATERIALS},
    **dict.fromkeys(("aluminium6061", "al6061", "6061"), "aluminum-6061"),
    **dict.fromkeys(("aluminium5754", "al5754", "5754"), "aluminum-5754"),
    **dict.fromkeys(("dc01",), "steel-dc01"),
    **dict.fromkeys(("s235", "s235jr"), "steel-s235"),
    **dict.fromkeys(("aluminium7075", "al7075", "7075"), "aluminum-7075"),
    **dict.fromkeys(("steel1018", "mildsteel1018"), "steel-1018"),
    **dict.fromkeys(("stainlesssteel304", "304stainless", "304stainlesssteel", "14301"), "stainless-304"),
    **dict.fromkeys(("polycarbonate",), "pc"),
}
_NOT_GIVEN = frozenset({"", "?", "-", "--", "\u2013", "\u2014", "n/a", "na", "tbd", "unknown", "none", "..."})
_COUNT = re.compile(r"[x\u00d7]?[ \t]*(?P<count>[0-9]{1,4})[ \t]*(?:[x\u00d7]|pcs?\.?|pieces?)?", re.IGNORECASE)
_ABOUT = re.compile(
    r"^(?:~|\u2248|\u2264|<=|<|ca\.?|c\.|about|approx\.?|approximately|around|circa|up to|at most)[ \t]*", re.IGNORECASE
)
_UNIT = re.compile(
    r"[ \t]*(?P<unit>g|grams?|kg|\$|usd|dollars?|us\$)?(?:[ \t]*(?:each|per piece|/pc|/piece|ea\.?))?$", re.IGNORECASE
)
_RANGE = re.compile(r"(?P<low>[0-9.]+)[ \t]*(?:-|\u2013|\u2014|to|\.\.\.?)[ \t]*\$?(?P<high>[0-9.]+)", re.IGNORECASE)
_CURRENCY = re.compile(r"^(?:us)?\$[ \t]*|^usd[ \t]+", re.IGNORECASE)
_RULE_CELL = re.compile(r":?-+:?")
_TOTAL = re.compile(r"(?:grand )?(?:total|sum|totals)\b.*", re.IGNORECASE)
_WORDS = re.compile(r"[^a-z0-9#]+")


def canonical_table(lines: Sequence[DraftLine]) -> list[DraftLine]:
    """Return the lines of a section with the table in canonical form, or as they are if its head is not clear.

    Rows with sums are left out, since they repeat the others.
    """
    filled = [line for line in lines if line.text.strip()]
    if not filled or "|" not in filled[0].text:
        return list(lines)
    head = _cells(filled[0].text)
    columns = _columns(head)
    if columns is None:
        return list(lines)
    header, rule = table(HEADER, []).split("\n")
    rows = [DraftLine(filled[0].number, header), DraftLine(filled[0].number, rule)]
    for line in filled[1:]:
        cells = _cells(line.text)
        if all(map(_RULE_CELL.fullmatch, cells)) or _is_sum(cells, columns):
            continue
        is_row = "|" in line.text and len(cells) == len(head)
        rows.append(DraftLine(line.number, _row(cells, columns)) if is_row else line)
    return rows


def _columns(head: Sequence[str]) -> dict[str, tuple[int, int]] | None:
    """Return index and factor of each column of the canonical table; None if one is missing, unknown or twice."""
    found: dict[str, tuple[int, int]] = {}
    for index, cell in enumerate(head):
        words = " ".join(_WORDS.sub(" ", cell.lower().replace("$", " usd ").replace("_", " ")).split())
        column = _column(words)
        if column is None and words in {_INDEX, ""} and index == 0:
            continue
        if column is None or column[0] in found:
            return None
        found[column[0]] = (index, column[1])
    return found if {name for name in HEADER if name not in _OPTIONAL} <= found.keys() else None


def _column(words: str) -> tuple[str, int] | None:
    """Return name and factor of the column that these words name."""
    if words in _COLUMNS:
        return _COLUMNS[words], 1
    for name, units in _UNITS.items():
        for unit, factor in units.items():
            plain = " ".join(word for word in words.split() if word != unit)
            if unit and plain != words and _COLUMNS.get(plain) == name:
                return name, factor
    return None


def _cells(text: str) -> list[str]:
    inner = text.strip().removeprefix("|").removesuffix("|")
    return [without_decoration(cell).strip("_ ") for cell in inner.split("|")]


def _is_sum(cells: Sequence[str], columns: Mapping[str, tuple[int, int]]) -> bool:
    """Return whether a line repeats the sum of the rows, which has neither a method nor a material."""
    if not _TOTAL.fullmatch(cells[0]):
        return False
    named = [cells[columns[name][0]] for name in ("method", "material") if columns[name][0] < len(cells)]
    return len(cells) == 1 or all(cell.lower() in _NOT_GIVEN for cell in named)


def _row(cells: Sequence[str], columns: Mapping[str, tuple[int, int]]) -> str:
    values = {name: cells[index] for name, (index, _) in columns.items()}
    method = _METHODS.get(
        " ".join(_WORDS.sub(" ", values["method"].lower().replace("_", " ")).split()), values["method"]
    )
    count = _COUNT.fullmatch(values["count"])
    figures = {
        name: _figure(values.get(name, ""), name, columns[name][1] if name in columns else 1) for name in _OPTIONAL
    }
    canonical = {
        "part": values["part"],
        "count": str(int(count["count"])) if count else values["count"],
        "method": method,
        "material": _material(values["material"], method),
        **figures,
    }
    return table([canonical[name] for name in HEADER], []).split("\n")[0]


def _material(text: str, method: str) -> str:
    if method == BOUGHT:
        try:
            return part(text).id
        except UnknownPartError:
            return text
    return _MATERIALS.get(re.sub(r"[^a-z0-9]", "", text.lower()), text)


def _figure(text: str, column: str, factor: int) -> str:
    """Return a figure as a plain number: of a range the upper end, which is the careful estimate."""
    if text.lower() in _NOT_GIVEN:
        return NOT_ESTIMATED
    plain = _ABOUT.sub("", text.strip(), count=1).strip()
    plain = _CURRENCY.sub("", plain, count=1) if column == "price_usd" else plain
    plain = _ABOUT.sub("", plain, count=1)
    unit = _UNIT.search(plain)
    name = (unit["unit"] or "").lower().replace("us$", "usd").replace("$", "usd") if unit else ""
    if name and name not in _UNITS[column]:
        return text
    number = plain[: unit.start()] if unit else plain
    spread = _RANGE.fullmatch(number.strip())
    if spread and not _is_ascending(spread["low"], spread["high"]):
        return text
    value = parse_number(spread["high"] if spread else number.strip())
    scale = _UNITS[column][name] if name else factor
    return text if value is None else f"{value * Decimal(scale):f}"


def _is_ascending(low: str, high: str) -> bool:
    first, last = parse_number(low), parse_number(high)
    return first is not None and last is not None and first <= last
