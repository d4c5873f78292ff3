"""Search of the catalog by words and figures, without a database and without a model."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import log

from contracts.models.catalog import CatalogFind, CatalogPart

from parts_catalog.parts import parts
from parts_catalog.search.proposals import find_of
from parts_catalog.search_text import search_text

_WORD = re.compile(r"[a-z]+(?:[0-9][a-z0-9.-]*)?|[0-9]{3,}")
"""A number of one or two digits says nothing without its unit."""
_QUANTITY = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>n\s*·?\s*m|ncm|v|volts?|mm|rpm|teeth)\b")
_STOP_WORDS = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "least", "most", "of", "on", "or", "than", "that", "the", "to",
     "with", "cheap", "cheapest", "small", "large", "about", "v", "n", "m", "mm")
)  # fmt: skip
_FIGURES: dict[str, tuple[tuple[str, ...], float]] = {
    "v": (("voltage_v",), 1.0),
    "nm": (("stall_torque_n_m", "continuous_torque_n_m"), 1.0),
    "ncm": (("stall_torque_n_m", "continuous_torque_n_m"), 0.01),
    "mm": (("d_mm", "length_mm", "bore_mm", "od_mm", "width_mm", "shaft_d_mm", "pitch_d_mm", "module_mm"), 1.0),
    "teeth": (("teeth",), 1.0),
    "rpm": (("no_load_speed_rad_s",), 0.10472),
}
"""By unit: the figures that have it, and the factor to theirs."""
_AT_LEAST = frozenset({"nm", "ncm", "rpm"})
"""Units of which more than was asked for is good, too."""
_FIGURE_WEIGHT = 4.0


def search(words: str, limit: int = 5, quantity: int = 1) -> tuple[tuple[CatalogFind, ...], str]:
    """Return the parts whose texts and figures fit a description best, and a note; none if no word fits.

    Rare words weigh more. A number with its unit counts when a figure of the part has it: torque and speed at least,
    others within 2 %. Of equal parts the cheaper one comes first.
    """
    wanted = list(dict.fromkeys(each for each in _words(words) if each not in _STOP_WORDS))
    figures = list(_quantities(words))
    scored = [(score, part) for part in parts().values() if (score := _score(part, wanted, figures)) > 0]
    scored.sort(key=lambda each: (-each[0], each[1].price_usd, each[1].id))
    found = tuple(find_of(part, _reason(part, wanted, figures), quantity) for _, part in scored[:limit])
    left_out = len(scored) - len(found)
    if not found:
        return (), "name one kind of part, such as gear motor, ball bearing or M3 screw, and its figures with units"
    return found, f"{left_out} more parts share a word with this" if left_out else ""


def _score(part: CatalogPart, wanted: Sequence[str], figures: Sequence[tuple[float, str]]) -> float:
    own = _index()[part.id]
    by_word = sum(_rarity(word) for word in wanted if word in own)
    return by_word + _FIGURE_WEIGHT * sum(_has(part, *figure) for figure in figures) if by_word else 0.0


def _reason(part: CatalogPart, wanted: Sequence[str], figures: Sequence[tuple[float, str]]) -> str:
    shared = [word for word in wanted if word in _index()[part.id]]
    fitting = [f"{number:g} {unit}" for number, unit in figures if _has(part, number, unit)]
    return f"fits {', '.join([*shared, *fitting])}"


def _has(part: CatalogPart, number: float, unit: str) -> bool:
    names, factor = _FIGURES[unit]
    wanted = number * factor
    values = [value for name in names if isinstance(value := _figures(part).get(name), int | float)]
    if unit in _AT_LEAST:
        return any(value >= wanted for value in values)
    return any(abs(value - wanted) <= 0.02 * wanted for value in values)


def _figures(part: CatalogPart) -> dict[str, object]:
    typed = (part.motor, part.fastener, part.bearing, part.gear, part.sprocket)
    known: dict[str, object] = dict(part.figures)
    for each in typed:
        if each is not None:
            known |= each.model_dump(exclude_none=True)
    return known


def _quantities(words: str) -> Iterator[tuple[float, str]]:
    for match in _QUANTITY.finditer(words.lower()):
        unit = re.sub(r"[\s·]", "", match["unit"])
        yield float(match["number"]), "v" if unit.startswith("v") else unit


def _words(text: str) -> list[str]:
    return [_singular(word) for word in _WORD.findall(text.lower())]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _rarity(word: str) -> float:
    """Return the weight of a word: the rarer, the more."""
    total = len(_index())
    holders = sum(word in own for own in _index().values())
    return log((1 + total) / (1 + holders)) + 0.1


@cache
def _index() -> dict[str, frozenset[str]]:
    return {part.id: frozenset(_words(search_text(part))) for part in parts().values()}
