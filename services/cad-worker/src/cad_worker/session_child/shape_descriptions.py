"""How CAD objects read in the list of variables, and by what they are recognised again."""

# Nothing is known of the types of an agent's values.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

from build123d import Axis, Color, Compound, Edge, Face, Location, Plane, Shell, Solid, Vector, Wire
from build123d.build_common import Builder
from build123d.topology import Shape
from geometry.occt.measures import Measures, counts, measures, placement
from kernel.runtime.inspection import attributes_of, is_a, type_name
from kernel.runtime.variables import Description
from parts_catalog.masses import mass_kg
from parts_catalog.materials import MATERIALS

MOST_FACES = 2000
"""Measuring takes time; what has more faces is only counted."""
_MOST_CHILDREN = 100
_REMEMBERED = 500
_WORDS = (Axis, Color, Location, Plane, Vector)
_BUILT = ("_part", "_sketch", "_line")

Mark = tuple[object, ...]


class ShapeDescriber:
    """Describes CAD objects; what has not changed since the last time is not measured again."""

    def __init__(self) -> None:
        self._remembered: dict[Mark, tuple[object, Description]] = {}

    def __call__(self, value: object) -> Description | None:
        """Return how a CAD object reads, and its content; None for anything else. No code of the agent's runs."""
        if any(type(value) is each for each in _WORDS):
            return Description(repr(value), repr(value).encode())
        if is_a(value, Builder):
            return self._builder(value)
        return self._shape(value) if is_a(value, Shape) else None

    def _builder(self, builder: object) -> Description:
        own = attributes_of(builder) or {}
        built = next((found for name in _BUILT if (found := own.get(name)) is not None), None)
        made = self._shape(built) if is_a(built, Shape) else Description("nothing built yet", b"")
        return Description(f"a builder: use its .part; {made.summary}", made.content)

    def _shape(self, shape: object) -> Description:
        own = attributes_of(shape) or {}
        wrapped: Any = own.get("_wrapped")
        if wrapped is None:
            return Description("empty: nothing solid in it", b"empty")
        geometry, placed = placement(wrapped)
        mark: Mark = (type_name(type(shape)), placed, _labels(own), _metadata(own))
        if mark not in self._remembered:
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            # the geometry is held, so that its place in memory becomes nobody else's
            self._remembered[mark] = (geometry, _measured(shape, wrapped, own))
        return self._remembered[mark][1]


def _measured(shape: object, wrapped: object, own: dict[str, object]) -> Description:
    counted = counts(wrapped)
    label = _text(own.get("label"))
    start = f"label={label!r}, " if label else "no label, "
    words: list[object] = [_labels(own), _metadata(own), counted]
    measured = measures(wrapped) if counted.faces <= MOST_FACES else None
    if measured is None:
        return Description(f"{start}{counted.faces} faces, not measured", repr(words).encode())
    words += [_rounded(each) for each in (*measured.low_mm, *measured.size_mm)]
    words += [_rounded(each) for each in (measured.volume_mm3, measured.area_mm2, measured.length_mm)]
    size = " x ".join(f"{each:.1f}" for each in measured.size_mm)
    low = ", ".join(f"{_rounded(each):.1f}" for each in measured.low_mm)
    extent = _extent(shape, measured, dict(_metadata(own)).get("material_id"))
    return Description(f"{start}{size} mm from ({low}){extent}", repr(words).encode())


def _extent(shape: object, measured: Measures, material: str | None) -> str:
    if is_a(shape, Solid, Compound) and measured.volume_mm3:
        mass_g = f", mass {mass_kg(measured.volume_mm3, material) * 1000:.1f} g" if material in MATERIALS else ""
        return f", volume {measured.volume_mm3:.0f} mm³{mass_g}"
    if is_a(shape, Face, Shell, Compound) and measured.area_mm2:
        return f", area {measured.area_mm2:.1f} mm²"
    return f", length {measured.length_mm:.1f} mm" if is_a(shape, Edge, Wire) else ""


def _labels(own: dict[str, object]) -> tuple[object, ...]:
    """Return the label, and those of the children."""
    children: Any = own.get("_NodeMixin__children")
    held = children[:_MOST_CHILDREN] if type(children) is list else []
    return (_text(own.get("label")), *(_labels(attributes_of(each) or {}) for each in held))


def _metadata(own: dict[str, object]) -> tuple[tuple[str, str], ...]:
    given: Any = own.get("metadata")
    if type(given) is not dict:
        return ()
    pairs = ((_text(key), _text(value)) for key, value in given.items())
    return tuple(sorted(pairs))


def _text(value: Any) -> str:  # noqa: ANN401 - anything
    return str.__str__(value) if is_a(value, str) else ""


def _rounded(value: float) -> float:
    """Return the value without the noise of the last digits, nor a negative zero."""
    return float(f"{value:.9g}") if abs(value) > 1e-7 else 0.0
