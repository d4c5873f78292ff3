"""Capture of build123d objects as data. It runs in the same process as agent code, so that nothing in it is trusted."""

from typing import Any, cast

from build123d import Compound, Location
from build123d.topology import Shape
from contracts.models.label import label_from
from contracts.text import storable
from design_rules.design_data import MAX_DESIGN_BYTES, MAX_SHAPES, TEXT_CHARS, DesignData, PartData
from geometry.occt.brep import write_brep
from geometry.shape_tree import is_leaf, leaves

from cad_worker.capture.mechanism import capture_mechanism
from cad_worker.job_protocol import NotADesignError

HINT = (
    "bind assembly = Compound(label='machine', children=[...]) with labelled Parts or Solids, "
    "each with metadata = {'manufacturing_method': ..., 'material_id': ...}"
)

_CHILDREN = "write Compound(label='machine', children=[a, b])"
_METHOD_OR_ID = ("manufacturing_method", "catalog_id")

_BUILDERS = {"BuildPart": "part", "BuildSketch": "sketch", "BuildLine": "line"}
"""Attribute with the result of each of build123d's builders."""


def capture_design(assembly: object, environment: object = None) -> DesignData:
    """Return the parts of an assembly, or a single part, in world coordinates, and its mechanism.

    Joints may lead only to parts of the assembly and children of `environment`; without one, the assembly is itself an
    environment, whose solids need no method. Raises `NotADesignError`.
    """
    root = _shape(assembly)
    if environment is not None:
        _require_parts(root)
    return DesignData(parts=_parts(root), mechanism=capture_mechanism(root, _if_shape(environment), is_whole=True))


def capture_component(component: object, environment: object = None) -> DesignData:
    """Return a piece of a design. Joints that lead out of it are left out."""
    root = _shape(component)
    return DesignData(parts=_parts(root), mechanism=capture_mechanism(root, _if_shape(environment), is_whole=False))


def capture_parts(shape: object) -> DesignData:
    """Return shapes without their mechanism."""
    return DesignData(parts=_parts(_shape(shape)))


def not_a_shape(thing: object, fix: str) -> str:
    """Return a message about something that is not a shape, with what to pass instead if it is a builder."""
    kind = type(thing).__name__
    if kind in _BUILDERS:
        return f"a {kind} is a builder, not a shape; pass its .{_BUILDERS[kind]}"
    return f"a {kind} is not a build123d shape; {fix}"


def _shape(thing: object) -> Shape[Any]:
    if not isinstance(thing, Shape):
        raise NotADesignError(not_a_shape(thing, HINT))
    return cast("Shape[Any]", thing)


def _require_parts(root: Shape[Any]) -> None:
    """Raise `NotADesignError` for an assembly whose parts became one shape, and lost labels and metadata."""
    if not is_leaf(root) or root.is_null or _text(getattr(root, "metadata", None), *_METHOD_OR_ID) is not None:
        return
    count, is_result = len(root.solids()), root._history is not None  # pyright: ignore[reportPrivateUsage] # noqa: SLF001 - no public attribute tells
    metadata = getattr(root, "metadata", None)
    is_assembly = type(root) is Compound and isinstance(metadata, dict) and "mechanism" in metadata
    if not is_result and (count > 1 or is_assembly):
        raise NotADesignError(
            f"the assembly has {count} {'solids' if count > 1 else 'solid'} and no children: Compound([a, b]) makes "
            f"one shape of its parts, without their labels and metadata, and Compound(a, b) leaves b out; {_CHILDREN}"
        )
    if is_result:
        held = f" with {count} solids" if count > 1 else ""
        raise NotADesignError(
            f"the assembly is one shape{held} that + or another operation made: "
            f"a sum of parts has none of their labels and metadata; {_CHILDREN}; if it is a single part, set its label "
            "and metadata last"
        )


def _if_shape(environment: object) -> Shape[Any] | None:
    return cast("Shape[Any]", environment) if isinstance(environment, Shape) else None


def _parts(root: Shape[Any]) -> tuple[PartData, ...]:
    placed = list(leaves(root))
    if len(placed) > MAX_SHAPES:
        raise NotADesignError(f"there are {len(placed)} shapes in it, at most {MAX_SHAPES} can be examined; join them")
    parts = tuple(_part(shape, location) for shape, location in placed)
    size_bytes = sum(len(part.brep) for part in parts)
    if size_bytes > MAX_DESIGN_BYTES:
        largest = max(parts, key=lambda part: len(part.brep))
        raise NotADesignError(
            f"its geometry has {size_bytes / 2**20:.1f} MiB of data, at most {MAX_DESIGN_BYTES >> 20} MiB can be "
            f"examined; the largest part, {largest.label!r}, has {len(largest.brep) / 2**20:.1f} MiB: replace threads, "
            "knurls, engraved text and other fine surfaces by plain ones"
        )
    return parts


def _part(shape: Shape[Any], location: Location) -> PartData:
    metadata = getattr(shape, "metadata", None)
    return PartData(
        label=label_from(storable(str(shape.label)))[:TEXT_CHARS],
        kind=type(shape).__name__[:TEXT_CHARS],
        brep=b"" if shape.is_null else write_brep(shape, location),
        manufacturing_method=_text(metadata, "manufacturing_method"),
        material_id=_text(metadata, "material_id", "material-id"),
        catalog_id=_text(metadata, "catalog_id"),
        tolerance_class=_text(metadata, "tolerance_class"),
        is_mountable=_value(metadata, "mountable") is not False,
        is_loose=_value(metadata, "loose") is True,
        is_moving=_value(metadata, "moving") is True,
    )


def _text(metadata: object, *keys: str) -> str | None:
    first = next((value for value in (_value(metadata, key) for key in keys) if value is not None), None)
    return storable(first)[:TEXT_CHARS] if isinstance(first, str) else None


def _value(metadata: object, key: str) -> object:
    return cast("dict[object, object]", metadata).get(key) if isinstance(metadata, dict) else None
