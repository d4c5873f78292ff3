"""From build123d objects to data. Runs beside agent code and is believed by nobody: it only hands over."""

from typing import Any, cast

from build123d import Location
from build123d.topology import Shape
from contracts.text import storable
from geometry.occt.brep import write_brep
from geometry.shape_tree import leaves

from cad_worker.capture.mechanism import capture_mechanism
from cad_worker.job_protocol import DesignData, NotADesignError, PartData

HINT = (
    "bind assembly = Compound(label='machine', children=[...]) with labelled Parts or Solids, "
    "each with metadata = {'manufacturing_method': ..., 'material_id': ...}"
)

_BUILDERS = {"BuildPart": "part", "BuildSketch": "sketch", "BuildLine": "line"}
"""What each of build123d's builders has made."""


def capture_design(assembly: object, environment: object = None) -> DesignData:
    """Return the parts of an assembly, or a single part, in world coordinates, and its mechanism.

    Joints may lead to the children of `environment`, and nowhere else. Raises `NotADesignError`.
    """
    root = _shape(assembly)
    return DesignData(parts=_parts(root), mechanism=capture_mechanism(root, _world(environment), is_whole=True))


def capture_component(component: object, environment: object = None) -> DesignData:
    """Return a piece of a design. Its joints may lead out of it, and are then no part of it."""
    root = _shape(component)
    return DesignData(parts=_parts(root), mechanism=capture_mechanism(root, _world(environment), is_whole=False))


def capture_parts(shape: object) -> DesignData:
    """Return shapes alone, whatever joins them."""
    return DesignData(parts=_parts(_shape(shape)))


def _shape(thing: object) -> Shape[Any]:
    kind = type(thing).__name__
    if kind in _BUILDERS:
        raise NotADesignError(f"a {kind} is a builder and no shape; hand in its .{_BUILDERS[kind]}")
    if not isinstance(thing, Shape):
        raise NotADesignError(f"a {kind} is no build123d shape; {HINT}")
    return cast("Shape[Any]", thing)


def _world(environment: object) -> Shape[Any] | None:
    return cast("Shape[Any]", environment) if isinstance(environment, Shape) else None


def _parts(root: Shape[Any]) -> tuple[PartData, ...]:
    return tuple(_part(shape, location) for shape, location in leaves(root))


def _part(shape: Shape[Any], location: Location) -> PartData:
    metadata = getattr(shape, "metadata", None)
    return PartData(
        label=storable(str(shape.label)),
        kind=type(shape).__name__,
        brep=b"" if shape.is_null else write_brep(shape, location),
        manufacturing_method=_text(metadata, "manufacturing_method"),
        material_id=_text(metadata, "material_id", "material-id"),
        catalog_id=_text(metadata, "catalog_id"),
        tolerance_class=_text(metadata, "tolerance_class"),
        is_mountable=_said(metadata, "mountable") is not False,
    )


def _text(metadata: object, *keys: str) -> str | None:
    found = next((value for value in (_said(metadata, key) for key in keys) if value is not None), None)
    return storable(found) if isinstance(found, str) else None


def _said(metadata: object, key: str) -> object:
    return cast("dict[object, object]", metadata).get(key) if isinstance(metadata, dict) else None
