"""Descriptions of CAD objects for the list of variables, and the content of their fingerprints."""

# The types of an agent's values are unknown.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from typing import Any

from build123d import Axis, Color, Compound, Edge, Face, Location, Plane, Shell, Solid, Vector, Wire
from build123d.build_common import Builder
from build123d.topology import Shape
from contracts.models.design import Method
from geometry.occt.measures import Measures, counts, measures, placement
from kernel.runtime.fingerprints import attributes_of, is_a, type_name
from kernel.runtime.variables import Description
from parts_catalog.materials import MATERIALS
from parts_catalog.pricing.infill import made_mass_kg

MAX_FACES = 2000
"""Measuring takes time; a shape with more faces is not measured."""
_MAX_CHILDREN = 100
_CACHED = 500
_PRINTABLE = (Axis, Color, Location, Plane, Vector)
_BUILT = ("_part", "_sketch", "_line")

CacheKey = tuple[object, ...]


class ShapeDescriber:
    """Describes CAD objects, and measures each again only when it has changed."""

    def __init__(self) -> None:
        self._cache: dict[CacheKey, tuple[object, Description]] = {}

    def __call__(self, value: object) -> Description | None:
        """Return summary and content of a CAD object, None for any other; runs no agent code."""
        if any(type(value) is each for each in _PRINTABLE):
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
        key: CacheKey = (type_name(type(shape)), placed, _labels(own), _metadata(own))
        if key not in self._cache:
            if len(self._cache) >= _CACHED:
                self._cache.clear()
            # the cache keeps the geometry alive, so that no other object gets its address
            self._cache[key] = (geometry, _described(shape, wrapped, own))
        return self._cache[key][1]


def _described(shape: object, wrapped: object, own: dict[str, object]) -> Description:
    counted = counts(wrapped)
    label = _text(own.get("label"))
    start = f"label={label!r}, " if label else "no label, "
    content: list[object] = [_labels(own), _metadata(own), counted]
    measured = measures(wrapped) if counted.faces <= MAX_FACES else None
    if measured is None:
        return Description(f"{start}{counted.faces} faces, not measured", repr(content).encode())
    content += [_rounded(each) for each in (*measured.low_mm, *measured.size_mm)]
    content += [_rounded(each) for each in (measured.volume_mm3, measured.area_mm2, measured.length_mm)]
    size = " x ".join(f"{each:.1f}" for each in measured.size_mm)
    low = ", ".join(f"{_rounded(each):.1f}" for each in measured.low_mm)
    extent = _extent(shape, measured, dict(_metadata(own)))
    return Description(f"{start}{size} mm from ({low}){extent}", repr(content).encode())


def _extent(shape: object, measured: Measures, metadata: dict[str, str]) -> str:
    if is_a(shape, Solid, Compound) and measured.volume_mm3:
        return f", volume {measured.volume_mm3:.0f} mm³{_mass(measured, metadata)}"
    if is_a(shape, Face, Shell, Compound) and measured.area_mm2:
        return f", area {measured.area_mm2:.1f} mm²"
    return f", length {measured.length_mm:.1f} mm" if is_a(shape, Edge, Wire) else ""


def _mass(measured: Measures, metadata: dict[str, str]) -> str:
    """Return the mass of a part as it is made; nothing while its material or method is open."""
    material, named = MATERIALS.get(metadata.get("material_id", "")), metadata.get("manufacturing_method")
    if material is None:
        return ""
    methods: list[Method] = [each for each in material.methods if named in {None, each}]
    if len(methods) != 1:
        return ""
    return f", mass {1000 * made_mass_kg(material, methods[0], measured.volume_mm3, measured.area_mm2):.1f} g"


def _labels(own: dict[str, object]) -> tuple[object, ...]:
    """Return the label and, nested, those of the children."""
    children: Any = own.get("_NodeMixin__children")
    kept = children[:_MAX_CHILDREN] if type(children) is list else []
    return (_text(own.get("label")), *(_labels(attributes_of(each) or {}) for each in kept))


def _metadata(own: dict[str, object]) -> tuple[tuple[str, str], ...]:
    metadata: Any = own.get("metadata")
    if type(metadata) is not dict:
        return ()
    pairs = ((_text(key), _text(value)) for key, value in metadata.items())
    return tuple(sorted(pairs))


def _text(value: Any) -> str:  # noqa: ANN401 - anything
    return str.__str__(value) if is_a(value, str) else ""


def _rounded(value: float) -> float:
    """Return the value without the noise of its last digits, and without a negative zero."""
    return float(f"{value:.9g}") if abs(value) > 1e-7 else 0.0
