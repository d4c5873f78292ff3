"""Estimated parts table of a plan: mass and price from the assignment's figures.

Measured at 100 pieces: printed panels of 3 to 4 mm cost 0.39 to 0.51 USD per gram, posts of 14 to 20 mm 0.25 to 0.28.
"""

from dataclasses import dataclass, replace

from offline_expert.drives.machine import DEFAULT_MOTOR, PINION_MM, PINION_WIDTH_MM
from offline_expert.markdown import numbers, value

_MATERIAL, _DENSITY_G_MM3 = "pla", 1.24e-3
_MOTOR_USD = 45.95
"""Price of the default motor; the catalog's price takes precedence."""
_PANEL_MM, _POST_MM = 3.0, 14.0
_USD_PER_G = {"panel": 0.5, "post": 0.28}
_LIMIT_SHARE = 0.9
"""Share of each limit that the plan uses at most."""
_MIN_SHARE = 0.01
"""Smallest share of its estimate for a part: critic and user then see that the limit is exceeded."""


@dataclass(frozen=True)
class EstimatedPart:
    """A row of the parts table. Mass and price are those of one piece."""

    name: str
    count: int
    method: str
    material: str
    mass_g: float
    price_usd: float


def parts_table(parts: tuple[EstimatedPart, ...]) -> str:
    """Return the parts table of a plan."""
    rows = [
        f"| {part.name} | {part.count} | {part.method} | {part.material} | {part.mass_g:.2f} | {part.price_usd:.2f} |"
        for part in parts
    ]
    return "\n".join(["| part | count | method | material | mass_g | price_usd |", f"|{' --- |' * 6}", *rows])


@dataclass(frozen=True)
class RouteEstimate:
    """Rough size of a route."""

    payload_mm: float
    segments: int
    length_mm: float
    """Of all segments together."""
    height_mm: float
    """Of the posts, on average."""
    side_mm: float
    """Height of the sides."""


@dataclass(frozen=True)
class _PrintedRow:
    name: str
    count: int
    kind: str
    mass_g: float
    """Of all pieces together."""


def channel_parts(task: str, route: RouteEstimate) -> tuple[EstimatedPart, ...]:
    """Return channels on posts that end in a pocket."""
    width = route.payload_mm * 4 / 3
    pocket_mm = 2 * width
    posts = 2 * route.segments
    rows = [
        _PrintedRow("channel floor", route.segments, "panel", _grams(route.length_mm, width, _PANEL_MM)),
        _PrintedRow("side wall", posts, "panel", 2 * _grams(route.length_mm, route.side_mm, _PANEL_MM)),
        _PrintedRow("post", posts, "post", posts * _grams(route.height_mm, _POST_MM, _POST_MM)),
        _PrintedRow("pocket panel", 5, "panel", _grams(pocket_mm, pocket_mm + 4 * route.side_mm, _PANEL_MM)),
    ]
    return _within_limits(task, rows, ())


def driven_parts(task: str, route: RouteEstimate, motor_usd: float | None) -> tuple[EstimatedPart, ...]:
    """Return a carriage with its motor, pinion, guides and rack; `motor_usd` is the catalog's price, if known."""
    width = route.payload_mm * 4 / 3
    rows = [
        _PrintedRow("carriage panel", 4, "panel", _grams(width + 3 * route.side_mm, width, _PANEL_MM)),
        _PrintedRow("guide panel", 2, "panel", 2 * _grams(route.length_mm, route.side_mm, _PANEL_MM)),
        _PrintedRow("rack post", 1, "post", _grams(route.length_mm, _POST_MM, 2 * _POST_MM)),
        _PrintedRow("pinion", 1, "post", _grams(2 * PINION_MM, 2 * PINION_MM, PINION_WIDTH_MM)),
        _PrintedRow("pocket panel", 4, "panel", _grams(2 * width, width + 3 * route.side_mm, _PANEL_MM)),
    ]
    return _within_limits(task, rows, (_motor(motor_usd),))


def _motor(price_usd: float | None) -> EstimatedPart:
    price_usd = _MOTOR_USD if price_usd is None else price_usd
    return EstimatedPart("gear motor", 1, "catalog", DEFAULT_MOTOR.id, DEFAULT_MOTOR.mass_kg * 1000, price_usd)


def _within_limits(task: str, rows: list[_PrintedRow], bought: tuple[EstimatedPart, ...]) -> tuple[EstimatedPart, ...]:
    """Return all parts, the printed ones lighter and fewer if the limits require it."""
    limits = {name: numbers(value(task, name) or "") for name in ("unit price", "mass", "parts")}
    price_usd = sum(_USD_PER_G[row.kind] * row.mass_g for row in rows)
    shares = [1.0]
    if limits["mass"]:
        printed_g = _LIMIT_SHARE * limits["mass"][0] * 1000 - sum(part.mass_g for part in bought)
        shares.append(printed_g / sum(row.mass_g for row in rows))
    if limits["unit price"]:
        printed_usd = _LIMIT_SHARE * limits["unit price"][0] - sum(part.price_usd for part in bought)
        shares.append(printed_usd / price_usd)
    share = max(min(shares), _MIN_SHARE)
    pieces = int(limits["parts"][0]) - len(bought) if limits["parts"] else None
    return (*(_estimated(row, share) for row in _with_at_most(rows, pieces)), *bought)


def _with_at_most(rows: list[_PrintedRow], pieces: int | None) -> list[_PrintedRow]:
    """Combine pieces of the most frequent part until there are few enough."""
    while pieces is not None and sum(row.count for row in rows) > max(pieces, len(rows)):
        most = max(range(len(rows)), key=lambda index: rows[index].count)
        rows = [replace(row, count=row.count - 1) if index == most else row for index, row in enumerate(rows)]
    return rows


def _estimated(row: _PrintedRow, share: float) -> EstimatedPart:
    mass_g = share * row.mass_g / row.count
    return EstimatedPart(row.name, row.count, "3d_printing", _MATERIAL, mass_g, _USD_PER_G[row.kind] * mass_g)


def _grams(*edges_mm: float) -> float:
    return edges_mm[0] * edges_mm[1] * edges_mm[2] * _DENSITY_G_MM3
