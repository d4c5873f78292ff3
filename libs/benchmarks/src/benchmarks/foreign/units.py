"""The unit of a foreign file's lengths: its `units` field, the ends of its field names, or its magnitudes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from benchmarks.consistency import WORLD_MM
from benchmarks.loader import BenchmarkError

SUFFIXES = ("_mm", "_cm", "_m")
"""Ends of the names of lengths."""
MILLIMETRES = {
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters", "millimetres"), 1.0),
    **dict.fromkeys(("cm", "centimeter", "centimetre", "centimeters", "centimetres"), 10.0),
    **dict.fromkeys(("m", "meter", "metre", "meters", "metres"), 1000.0),
    **dict.fromkeys(("in", "inch", "inches"), 25.4),
}
"""Of one unit."""
SECTIONS = ("objectives", "payload", "moved_object", "object", "obstacles", "static_objects", "fixtures")
"""Where names of lengths are looked at; others, such as those of wires, say nothing about the zones."""


def unit_of(fields: Mapping[str, object], longest: float, where: str) -> tuple[float, str]:
    """Return how many millimetres one unit has, and why.

    `longest` is the longest edge of the world in the file's unit. Raise `BenchmarkError` for a unit that is unknown, or
    that contradicts the names of fields.
    """
    stated = _stated(fields.get("units"))
    if stated and stated not in MILLIMETRES:
        raise BenchmarkError(where, f"units: {stated!r} is unknown; use mm, cm, m or in")
    named = {suffix.removeprefix("_") for name in _length_names(fields) for suffix in SUFFIXES if name.endswith(suffix)}
    possible = sorted(named | ({stated} if stated else set()), key=lambda unit: MILLIMETRES[unit])
    if len({MILLIMETRES[unit] for unit in possible}) > 1:
        raise BenchmarkError(where, f"units: the file mixes {' and '.join(possible)}; use one unit for all lengths")
    if possible:
        return MILLIMETRES[possible[0]], f"all lengths are in {possible[0]}, as the file states"
    unit = "m" if longest < WORLD_MM[0] else "mm"
    return MILLIMETRES[unit], (
        f"units: none are stated; taken as {unit}, because the longest edge of the world is {longest:g}; "
        f"add `units: {'mm' if unit == 'm' else 'm'}` if that is wrong"
    )


def _stated(units: object) -> str:
    if isinstance(units, Mapping):
        units = cast("Mapping[str, object]", units).get("length")
    return "" if units is None else str(units).strip().lower()


def _length_names(fields: Mapping[str, object]) -> Iterator[str]:
    """Yield the names of fields that may be lengths of the world."""
    for name, value in fields.items():
        yield name
        if name.removesuffix("_mm").removesuffix("_cm").removesuffix("_m") in SECTIONS or "zone" in name:
            yield from _names_inside(value)
        elif "bounds" in name and isinstance(value, Mapping):
            yield from cast("Mapping[str, object]", value)


def _names_inside(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, each in cast("Mapping[str, object]", value).items():
            yield name
            yield from _names_inside(each)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for each in cast("Sequence[object]", value):
            yield from _names_inside(each)
