"""A part as one sheet: its two skins at one distance, the cut faces between them, and what contradicts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from contracts.models.design import WorkbenchRule
from geometry.arrays import FloatArray, as_vector

from workbenches.edges import Edge, edges_of
from workbenches.findings import Measurement, Position
from workbenches.part_mesh import PartMesh
from workbenches.thickness import measure_thickness

SMOOTH_DEG = 1.0
SQUARE_DEG = 3.0
SLACK_MM = 0.02
SAME = 1e-6
"""Relative difference of equal areas."""
OUTLIERS = 0.02
"""Share of a face whose thickness may differ: samples right at its rim."""


@dataclass(frozen=True)
class Fault:
    """What keeps a part from being one sheet; the text continues a sentence about it."""

    rule: WorkbenchRule
    text: str
    at: Position | None = None
    measurement: Measurement | None = None


@dataclass(frozen=True)
class SkinJoint:
    """A straight edge at which two faces of a skin meet smoothly."""

    faces: tuple[int, int]
    middle_mm: FloatArray
    direction: FloatArray


@dataclass(frozen=True, eq=False)
class SheetPart:
    """The faces of a part by their part in the sheet."""

    mesh: PartMesh
    base: int
    """The largest flat face, of the front."""
    front: tuple[int, ...]
    back: tuple[int, ...]
    thickness_mm: float
    joints: tuple[SkinJoint, ...]
    faults: tuple[Fault, ...]


@lru_cache(maxsize=2)
def sheet_of(mesh: PartMesh) -> SheetPart | Fault:
    """Return the sheet of a part, or why there is none at all."""
    flat = [face for face, surface in enumerate(mesh.surfaces) if surface.kind == "plane"]
    if not flat:
        return Fault("sheet_thickness", "has no flat wall, and so is not made of sheet")
    areas = mesh.face_areas_mm2
    largest = [face for face in flat if areas[face] > areas[flat].max() * (1 - SAME)]
    walls = [(*found, face) for face in largest if (found := _opposite(mesh, face)) is not None]
    if not walls:
        return Fault("sheet_thickness", "has no second side parallel to its largest face, and so is not a sheet")
    thickness_mm, opposite, base = min(walls)
    edges = edges_of(mesh)
    joints = tuple(_joints(mesh, edges))
    front, back = _connected(base, joints), _connected(opposite, joints)
    faults = _faults(mesh, edges, front, back, thickness_mm)
    return SheetPart(mesh, base, front, back, thickness_mm, joints, tuple(faults))


def _opposite(mesh: PartMesh, face: int) -> tuple[float, int] | None:
    """Return the usual thickness below a flat face, and the face on the other side."""
    thickness = measure_thickness(mesh)
    on_face = np.flatnonzero((thickness.samples.faces == face) & thickness.is_wall)
    if not len(on_face):
        return None
    order = on_face[np.argsort(thickness.thickness_mm[on_face], kind="stable")]
    middle_mm = float(thickness.thickness_mm[order[len(order) // 2]])
    usual = order[np.abs(thickness.thickness_mm[order] - middle_mm) < SLACK_MM]
    faces = thickness.opposite_faces[usual]
    counts = np.bincount(faces[faces >= 0], minlength=len(mesh.face_areas_mm2))
    return round(middle_mm, 4), int(np.lexsort((mesh.face_areas_mm2, counts))[-1])


def _joints(mesh: PartMesh, edges: Sequence[Edge]) -> list[SkinJoint]:
    return [
        SkinJoint(edge.faces, edge.middle_mm, edge.direction)
        for edge in edges
        if edge.is_straight and _turn_deg(mesh, edge) < SMOOTH_DEG
    ]


def _turn_deg(mesh: PartMesh, edge: Edge) -> float:
    first, second = (mesh.normal_at(face, as_vector(edge.middle_mm)) for face in edge.faces)
    return float(np.degrees(np.arccos(np.clip(first @ second, -1, 1))))


def _connected(start: int, joints: Sequence[SkinJoint]) -> tuple[int, ...]:
    found, new = {start}, [start]
    while new:
        face = new.pop()
        for joint in joints:
            if face in joint.faces:
                other = joint.faces[0] if joint.faces[1] == face else joint.faces[1]
                if other not in found:
                    found.add(other)
                    new.append(other)
    return tuple(sorted(found))


def _faults(
    mesh: PartMesh, edges: Sequence[Edge], front: Sequence[int], back: Sequence[int], thickness_mm: float
) -> list[Fault]:
    skins = {*front, *back}
    if set(front) & set(back):
        return [Fault("sheet_cut", "has rounded edges that join its two sides; a laser cuts them square")]
    sharp = _sharp_bends(mesh, edges, skins)
    if sharp:
        return sharp
    uneven = _uneven(mesh, skins, thickness_mm)
    if uneven:
        return uneven
    curved = [face for face in sorted(skins) if mesh.surfaces[face].kind not in {"plane", "cylinder"}]
    faults = [
        Fault(
            "sheet_unfold", "has a wall that is curved in two directions, which no press brake bends", _on(mesh, face)
        )
        for face in curved[:1]
    ]
    return [*faults, *_slanting(mesh, edges, set(front), set(back))]


def _sharp_bends(mesh: PartMesh, edges: Sequence[Edge], skins: set[int]) -> list[Fault]:
    """Report inner corners without a radius: cut faces meet a skin at convex edges only."""
    found: list[Fault] = []
    for edge in edges:
        if not edge.is_concave or not edge.is_straight or not skins.intersection(edge.faces):
            continue
        if _turn_deg(mesh, edge) > SQUARE_DEG:
            face = next(face for face in edge.faces if face in skins)
            text = (
                "has an inner corner without a radius; a bend has one, of the thickness or more, and walls that stand "
                "on a sheet are parts of their own"
            )
            at = Position(face, as_vector(edge.middle_mm))
            found.append(Fault("sheet_bend_radius", text, at, Measurement(0.0, None, "mm")))
    return found


def _uneven(mesh: PartMesh, skins: set[int], thickness_mm: float) -> list[Fault]:
    thickness = measure_thickness(mesh)
    samples = thickness.samples
    between = np.isin(thickness.opposite_faces, sorted(skins))
    wrong = between & (np.abs(thickness.thickness_mm - thickness_mm) > SLACK_MM)
    for face in sorted(skins):
        if (samples.faces == face).any() and samples.share_of(face, wrong) > OUTLIERS:
            sample = int(np.flatnonzero((samples.faces == face) & wrong)[0])
            measured = float(thickness.thickness_mm[sample])
            text = (
                f"is {measured:.2f} mm thick here and {thickness_mm:.2f} mm elsewhere; a sheet has one thickness, in "
                "bends too: the outer radius is the inner one plus the thickness"
            )
            return [Fault("sheet_thickness", text, Position(face, as_vector(samples.points_mm[sample])))]
    return []


def _slanting(mesh: PartMesh, edges: Sequence[Edge], front: set[int], back: set[int]) -> list[Fault]:
    """Report faces between the skins that a straight cut does not leave."""
    skins, sides = front | back, dict[int, set[str]]()
    for edge in edges:
        for face, other in (edge.faces, edge.faces[::-1]):
            if face in skins or other not in skins:
                continue
            sides.setdefault(face, set()).add("front" if other in front else "back")
            if abs(_turn_deg(mesh, edge) - 90) > SQUARE_DEG:
                text = "has an edge that is not square to the sheet, such as a chamfer or a countersink; cut it square"
                return [Fault("sheet_cut", text, Position(face, as_vector(edge.middle_mm)))]
    for face in range(len(mesh.surfaces)):
        if face not in skins and sides.get(face) != {"front", "back"}:
            text = "has a step, a pocket or a wall that a laser does not cut; what is on the sheet is a part of its own"
            return [Fault("sheet_cut", text, _on(mesh, face))]
    return []


def _on(mesh: PartMesh, face: int) -> Position:
    on_face = np.flatnonzero(mesh.samples.faces == face)
    return Position(face, as_vector(mesh.samples.points_mm[on_face[0]])) if len(on_face) else Position(face, (0, 0, 0))
