"""What a machine of the expert's will be made of, weigh and cost, as far as the assignment's figures tell.

Measured at 100 pieces: printed panels of 3 to 4 mm cost 0.39 to 0.51 USD per gram, posts of 14 to 20 mm 0.25 to 0.28.
"""

from dataclasses import dataclass, replace

from offline_expert.drives.machine import GEARED
from offline_expert.markdown import numbers, value

_MATERIAL, _DENSITY_G_MM3 = "pla", 1.24e-3
_MOTOR_USD = 45.95
"""What the expert's motor cost when it was chosen; the catalog's word counts more."""
_PANEL_MM, _POST_MM = 3.0, 14.0
_USD_PER_G = {"panel": 0.5, "post": 0.28}
_RESERVE = 0.9
"""Of each limit that the plan uses at most."""
_LEAST = 0.01
"""Of its estimate that a part keeps at least: a limit that breaks even so is the critic's and the user's to see."""


@dataclass(frozen=True)
class PlannedPart:
    """A row of the table of parts. Mass and price are those of one piece."""

    name: str
    count: int
    method: str
    material: str
    mass_g: float
    price_usd: float


def parts_table(parts: tuple[PlannedPart, ...]) -> str:
    """Write the table of parts as a plan has it."""
    rows = [
        f"| {each.name} | {each.count} | {each.method} | {each.material} | {each.mass_g:.2f} | {each.price_usd:.2f} |"
        for each in parts
    ]
    return "\n".join(["| part | count | method | material | mass_g | price_usd |", f"|{' --- |' * 6}", *rows])


@dataclass(frozen=True)
class Ways:
    """How far the payload is led, and between how high sides."""

    size_mm: float
    """Of the payload."""
    legs: int
    length_mm: float
    """Of all legs together."""
    height_mm: float
    """Of what carries them, on average."""
    side_mm: float


@dataclass(frozen=True)
class _Row:
    name: str
    count: int
    kind: str
    mass_g: float
    """Of all pieces together."""


def rolling_parts(task: str, ways: Ways) -> tuple[PlannedPart, ...]:
    """Return channels on posts that end in a pocket."""
    width = ways.size_mm * 4 / 3
    pocket_mm = 2 * width
    rows = [
        _Row("channel floor", ways.legs, "panel", _grams(ways.length_mm, width, _PANEL_MM)),
        _Row("side wall", 2 * ways.legs, "panel", 2 * _grams(ways.length_mm, ways.side_mm, _PANEL_MM)),
        _Row("post", 2 * ways.legs, "post", 2 * ways.legs * _grams(ways.height_mm, _POST_MM, _POST_MM)),
        _Row("pocket panel", 5, "panel", _grams(pocket_mm, pocket_mm + 4 * ways.side_mm, _PANEL_MM)),
    ]
    return _within(task, rows, ())


def driven_parts(task: str, ways: Ways, motor_usd: float | None) -> tuple[PlannedPart, ...]:
    """Return a carriage with its motor, the guides and the rack; `motor_usd` as the catalog told it, if it did."""
    width = ways.size_mm * 4 / 3
    rows = [
        _Row("carriage panel", 4, "panel", _grams(width + 3 * ways.side_mm, width, _PANEL_MM)),
        _Row("guide panel", 2, "panel", 2 * _grams(ways.length_mm, ways.side_mm, _PANEL_MM)),
        _Row("rack post", 1, "post", _grams(ways.length_mm, _POST_MM, 2 * _POST_MM)),
        _Row("pocket panel", 4, "panel", _grams(2 * width, width + 3 * ways.side_mm, _PANEL_MM)),
    ]
    return _within(task, rows, (_motor(motor_usd),))


def _motor(price_usd: float | None) -> PlannedPart:
    price_usd = _MOTOR_USD if price_usd is None else price_usd
    return PlannedPart("gear motor", 1, "catalog", GEARED.id, GEARED.mass_kg * 1000, price_usd)


def _within(task: str, rows: list[_Row], bought: tuple[PlannedPart, ...]) -> tuple[PlannedPart, ...]:
    """Return all parts, the printed ones thinner and fewer if a limit asks for that."""
    most = {name: numbers(value(task, name) or "") for name in ("unit price", "mass", "parts")}
    price_usd = sum(_USD_PER_G[row.kind] * row.mass_g for row in rows)
    shares = [1.0]
    if most["mass"]:
        room_g = _RESERVE * most["mass"][0] * 1000 - sum(each.mass_g for each in bought)
        shares.append(room_g / sum(row.mass_g for row in rows))
    if most["unit price"]:
        shares.append((_RESERVE * most["unit price"][0] - sum(each.price_usd for each in bought)) / price_usd)
    share = max(min(shares), _LEAST)
    pieces = int(most["parts"][0]) - len(bought) if most["parts"] else None
    return (*(_planned(row, share) for row in _fewer(rows, pieces)), *bought)


def _fewer(rows: list[_Row], most: int | None) -> list[_Row]:
    """Join pieces, of which there are most, until there are few enough."""
    while most is not None and sum(row.count for row in rows) > max(most, len(rows)):
        place = max(range(len(rows)), key=lambda at: rows[at].count)
        rows = [replace(row, count=row.count - 1) if at == place else row for at, row in enumerate(rows)]
    return rows


def _planned(row: _Row, share: float) -> PlannedPart:
    mass_g = share * row.mass_g / row.count
    return PlannedPart(row.name, row.count, "3d_printing", _MATERIAL, mass_g, _USD_PER_G[row.kind] * mass_g)


def _grams(*edges_mm: float) -> float:
    return edges_mm[0] * edges_mm[1] * edges_mm[2] * _DENSITY_G_MM3
