"""From build123d objects to data. Runs beside agent code and is believed by nobody: it only hands over."""

from typing import Any, cast

from build123d import Location
from build123d.topology import Shape
from kernel.storable import storable

from cad_worker.exchange import DesignData, NotADesignError, PartData
from cad_worker.geometry.occt import write_brep
from cad_worker.geometry.trees import leaves

HINT = (
    "bind assembly = Compound(label='machine', children=[...]) with labelled Parts or Solids, "
    "each with metadata = {'manufacturing_method': ..., 'material_id': ...}"
)


def capture_design(assembly: object) -> DesignData:
    """Return the parts of an assembly, or a single part, in world coordinates; raise `NotADesignError`."""
    if not isinstance(assembly, Shape):
        raise NotADesignError(f"a {type(assembly).__name__} is no build123d shape; {HINT}")
    root = cast("Shape[Any]", assembly)
    return DesignData(parts=tuple(_part(shape, location) for shape, location in leaves(root)))


def _part(shape: Shape[Any], location: Location) -> PartData:
    metadata = getattr(shape, "metadata", None)
    return PartData(
        label=storable(str(shape.label)),
        kind=type(shape).__name__,
        brep=b"" if shape.is_null else write_brep(shape, location),
        manufacturing_method=_text(metadata, "manufacturing_method"),
        material_id=_text(metadata, "material_id", "material-id"),
    )


def _text(metadata: object, *keys: str) -> str | None:
    if not isinstance(metadata, dict):
        return None
    values = cast("dict[object, object]", metadata)
    found = next((values[key] for key in keys if key in values), None)
    return storable(found) if isinstance(found, str) else None
