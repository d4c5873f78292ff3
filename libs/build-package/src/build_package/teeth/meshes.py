"""What meshes in a design: wheels and racks in the place where they were modelled."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from contracts.models.geometry import Vector


@dataclass(frozen=True)
class MeshWheel:
    """A wheel in a mesh."""

    label: str
    center_mm: Vector
    """On its axis, in the middle of its width."""
    axis: Vector
    """Unit vector."""
    width_mm: float
    pitch_mm: float
    """Pitch radius in this mesh."""
    tip_mm: float
    """Radius of its rim, as it is modelled."""
    module_mm: float | None = None
    """Of a bought gear."""
    shaft_mm: float | None = None
    """Diameter of the motor's shaft that it sits on."""


@dataclass(frozen=True)
class MeshRack:
    """A rack in a mesh with a wheel."""

    label: str
    along: Vector
    """Unit vector: the wheel's motion against the rack where the joint's position grows."""
    outwards: Vector
    """Unit vector from the wheel's axis to the rack, at right angles to both."""
    toothed_mm: tuple[float, float]
    """Range of the places along it, from the world's origin, where it has teeth for this wheel."""


@dataclass(frozen=True)
class ToothMesh:
    """Two wheels in mesh, or a wheel and a rack."""

    wheel: MeshWheel
    other: MeshWheel | MeshRack


def whole_racks(meshes: Sequence[ToothMesh]) -> list[ToothMesh]:
    """Return meshes whose racks have teeth for all of their wheels, along the direction of the first one."""
    racks: dict[str, MeshRack] = {}
    for mesh in meshes:
        if isinstance(mesh.other, MeshRack):
            known = racks.setdefault(mesh.other.label, mesh.other)
            ends = [*known.toothed_mm, *_seen_along(mesh.other, known)]
            racks[known.label] = replace(known, toothed_mm=(min(ends), max(ends)))
    return [ToothMesh(mesh.wheel, racks.get(mesh.other.label, mesh.other)) for mesh in meshes]


def _seen_along(rack: MeshRack, known: MeshRack) -> tuple[float, float]:
    low, high = rack.toothed_mm
    return (low, high) if float(np.array(rack.along) @ np.array(known.along)) > 0 else (-high, -low)
