"""Estimated parts table of a plan: mass and price from the assignment's figures.

At 100 pieces, printed panels of 3 to 4 mm cost 0.52 to 0.62 USD per gram, posts of 14 to 20 mm 0.54 to 0.67.
"""

from dataclasses import dataclass

from offline_expert.drives.machine import DEFAULT_MOTOR, PINION_MM, PINION_WIDTH_MM
from offline_expert.markdown import numbers, value

_MATERIAL, _DENSITY_G_MM3 = "pla", 1.24e-3
_SHELL_MM, _INFILL = 1.4, 0.2
_MOTOR_USD = 45.95
"""Price of the default motor; the catalog's price takes precedence."""
_PANEL_MM, _POST_MM = 3.0, 14.0
_LEAN_PANEL_MM, _LEAN_POST_MM = 1.6, 9.0
"""The thinnest that the engineer makes them."""
_SIZES = ((_PANEL_MM, _POST_MM), (_LEAN_PANEL_MM, _LEAN_POST_MM))
_USD_PER_G = 0.55


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
    mass_g: float
    """Of all pieces together."""


def channel_parts(task: str, route: RouteEstimate) -> tuple[EstimatedPart, ...]:
    """Return channels on posts that end in a pocket."""
    normal, lean = (_channel_rows(route, *sizes) for sizes in _SIZES)
    return _within_limits(task, normal, lean, ())


def driven_parts(task: str, route: RouteEstimate, motor_usd: float | None) -> tuple[EstimatedPart, ...]:
    """Return a carriage with its motor, pinion, guides and rack; `motor_usd` is the catalog's price, if known."""
    normal, lean = (_driven_rows(route, *sizes) for sizes in _SIZES)
    return _within_limits(task, normal, lean, (_motor(motor_usd),))


def _channel_rows(route: RouteEstimate, panel_mm: float, post_mm: float) -> list[_PrintedRow]:
    width = route.payload_mm * 4 / 3
    pocket_mm = 2 * width
    posts = 2 * route.segments
    return [
        _PrintedRow("channel floor", route.segments, _grams(route.length_mm, width, panel_mm)),
        _PrintedRow("side wall", posts, 2 * _grams(route.length_mm, route.side_mm, panel_mm)),
        _PrintedRow("post", posts, posts * _grams(route.height_mm, post_mm, post_mm)),
        _PrintedRow("pocket panel", 5, _grams(pocket_mm, pocket_mm + 4 * route.side_mm, panel_mm)),
    ]


def _driven_rows(route: RouteEstimate, panel_mm: float, post_mm: float) -> list[_PrintedRow]:
    width = route.payload_mm * 4 / 3
    return [
        _PrintedRow("carriage panel", 4, _grams(width + 3 * route.side_mm, width, panel_mm)),
        _PrintedRow("guide panel", 2, 2 * _grams(route.length_mm, route.side_mm, panel_mm)),
        _PrintedRow("rack post", 1, _grams(route.length_mm, post_mm, 2 * post_mm)),
        _PrintedRow("pinion", 1, _grams(2 * PINION_MM, 2 * PINION_MM, PINION_WIDTH_MM)),
        _PrintedRow("pocket panel", 4, _grams(2 * width, width + 3 * route.side_mm, panel_mm)),
    ]


def _motor(price_usd: float | None) -> EstimatedPart:
    price_usd = _MOTOR_USD if price_usd is None else price_usd
    return EstimatedPart("gear motor", 1, "catalog", DEFAULT_MOTOR.id, DEFAULT_MOTOR.mass_kg * 1000, price_usd)


def over_limits(task: str, parts: tuple[EstimatedPart, ...]) -> list[str]:
    """Return each limit of the task that the parts exceed, with both figures; empty if they fit."""
    totals = {
        "unit price": (sum(part.count * part.price_usd for part in parts), "USD"),
        "mass": (sum(part.count * part.mass_g for part in parts) / 1000, "kg"),
        "parts": (float(sum(part.count for part in parts)), "parts"),
    }
    limits = {name: numbers(value(task, name) or "") for name in totals}
    return [
        f"{total:.3g} {unit} at most {limits[name][0]:g}"
        for name, (total, unit) in totals.items()
        if limits[name] and total > limits[name][0]
    ]


def _within_limits(
    task: str, normal: list[_PrintedRow], lean: list[_PrintedRow], bought: tuple[EstimatedPart, ...]
) -> tuple[EstimatedPart, ...]:
    """Return all parts, with the thinnest walls and posts that are used if the normal ones exceed a limit."""
    parts = (*map(_estimated, normal), *bought)
    return (*map(_estimated, lean), *bought) if over_limits(task, parts) else parts


def _estimated(row: _PrintedRow) -> EstimatedPart:
    mass_g = row.mass_g / row.count
    return EstimatedPart(row.name, row.count, "3d_printing", _MATERIAL, mass_g, _USD_PER_G * mass_g)


def _grams(x_mm: float, y_mm: float, z_mm: float) -> float:
    """Return the mass of a printed block: a solid shell with infill."""
    volume_mm3, area_mm2 = x_mm * y_mm * z_mm, 2 * (x_mm * y_mm + y_mm * z_mm + z_mm * x_mm)
    shell_mm3 = min(_SHELL_MM * area_mm2, volume_mm3)
    return (shell_mm3 + _INFILL * (volume_mm3 - shell_mm3)) * _DENSITY_G_MM3
