"""Toothed solids: the wheel or rack with its involute teeth, and the blank that they are cut from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, radians, tan
from typing import Any

import numpy as np
from build123d import (
    Align,
    Cylinder,
    GeomType,
    Location,
    Plane,
    Polyline,
    Pos,
    Rot,
    ShapeList,
    Solid,
    extrude,
    make_face,
)
from build123d.topology import Shape
from geometry.arrays import FloatArray, as_vector
from py_gearworks import SpurGear  # pyright: ignore[reportMissingTypeStubs]

from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh, whole_racks
from build_package.teeth.phases import phases, start_direction
from build_package.teeth.systems import ADDENDUM, DEDENDUM, ToothSystem, tooth_systems

PRESSURE_ANGLE_DEG = 20.0
PRINTED_PLAY_MM, CUT_PLAY_MM = 0.1, 0.04
"""[E] between the flanks of two wheels, on either side of a tooth."""
NEAR_MM = 0.05
"""Between a rim and the radius that was measured."""
BEYOND_MM = 1.0
"""By which tools of a cut reach out of the part."""
BESIDE_MM = 1.0
"""By which the teeth of a rack are wider than its wheel, to either side."""
LEAST_MM3 = 0.01
"""Of a piece; what booleans of equal cylinders leave is smaller."""
SET_SCREW_CORE_MM = 2.5
"""Of an M3, which holds a wheel on its shaft."""
SET_SCREW_WIDTH_MM, SET_SCREW_WALL_MM = 5.0, 3.0
"""Least width of a wheel, and least wall between its bore and its gaps, for the screw's hole and thread."""
CENTRED_BELOW = (Align.CENTER, Align.CENTER, Align.MIN)


class NoRimError(ValueError):
    """Teeth cannot be drawn on a part; the message continues after its name."""


@dataclass(frozen=True, eq=False)
class ToothedPart:
    """A made part with teeth."""

    label: str
    system: ToothSystem
    is_rack: bool
    solid: Solid
    """With its teeth."""
    blank: Solid
    """Before they are cut."""

    @property
    def depth_mm(self) -> float:
        """From the tips to the bottom of the gaps."""
        return (ADDENDUM + DEDENDUM) * self.system.module_mm


@dataclass(frozen=True)
class Cut:
    """How the teeth of one part are cut."""

    system: ToothSystem
    phase: float
    """Where the middle of a tooth is, see `phases`."""
    play_mm: float
    """Between its flanks and those of its mates, on either side of a tooth."""


def toothed_parts(
    meshes: Sequence[ToothMesh], solids: Mapping[str, Solid], printed: frozenset[str]
) -> tuple[dict[str, ToothedPart], dict[str, str]]:
    """Return the parts among `solids` with their teeth by label, and why others have none. `printed`: labels of parts
    whose flanks get the play of prints."""
    meshes = whole_racks(meshes)
    systems = tooth_systems(meshes)
    places = phases(meshes, systems)
    found: dict[str, ToothedPart] = {}
    problems: dict[str, str] = {}
    for mesh in meshes:
        for side in (mesh.wheel, mesh.other):
            label = side.label
            if label in found or label not in solids:
                continue
            cut = Cut(systems[label], places[label], PRINTED_PLAY_MM if label in printed else CUT_PLAY_MM)
            try:
                if isinstance(side, MeshRack):
                    found[label] = _rack(solids[label], side, mesh.wheel, cut, systems[mesh.wheel.label].pitch_mm)
                else:
                    found[label] = _wheel(solids[label], side, cut)
            except NoRimError as error:
                problems[label] = str(error)
    return found, problems


def _wheel(solid: Solid, wheel: MeshWheel, cut: Cut) -> ToothedPart:
    """Draw teeth in place of the rim; what is inside of it or beside it stays as it was modelled."""
    axis, center = np.array(wheel.axis), np.array(wheel.center_mm)
    low, high = _rim_range_mm(solid, wheel)
    start = start_direction(axis)
    across = np.cos(cut.phase) * start + np.sin(cut.phase) * np.cross(axis, start)
    foot = Location(Plane(as_vector(center + low * axis), as_vector(across), as_vector(axis)))
    width, system = high - low, cut.system
    root_mm = system.pitch_mm - DEDENDUM * system.module_mm
    holes = _pieces(_disc(root_mm, width, foot) - solid)
    if wheel.shaft_mm is not None and solid.is_inside(as_vector(center)):
        holes += _fixing(wheel.shaft_mm, root_mm, width, foot * Rot(0, 0, 180 / system.teeth))
    beside = _pieces(solid - _disc(_reach_mm(solid, center), width, foot))
    made = [_gear(cut, width).moved(foot), _disc(system.tip_mm, width, foot)]
    toothed, blank = (_one(_joined(_drilled(piece, holes), beside)) for piece in made)
    return ToothedPart(wheel.label, system, is_rack=False, solid=toothed, blank=blank)


def _gear(cut: Cut, width: float) -> Solid:
    module = cut.system.module_mm
    gear = SpurGear(
        cut.system.teeth,
        height=width,
        module=module,
        backlash=cut.play_mm / module,
        addendum_coefficient=ADDENDUM,
        dedendum_coefficient=DEDENDUM,
        pressure_angle=radians(PRESSURE_ANGLE_DEG),
    )
    (solid,) = gear.build_part().solids()  # pyright: ignore[reportUnknownMemberType] - it has no stubs
    return solid


def _fixing(shaft_mm: float, root_mm: float, width: float, foot: Location) -> list[Solid]:
    """Return the bore for a motor's shaft, and the core hole of a set screw in a gap where wall and width allow it."""
    bore = _disc(shaft_mm / 2, width, foot)
    if width < SET_SCREW_WIDTH_MM or root_mm - shaft_mm / 2 < SET_SCREW_WALL_MM:
        return [bore]
    hole = Cylinder(SET_SCREW_CORE_MM / 2, 2 * root_mm, align=CENTRED_BELOW).solids()[0]
    return [bore, hole.moved(foot * Pos(0, 0, width / 2) * Rot(0, 90, 0))]


def _rim_range_mm(solid: Solid, wheel: MeshWheel) -> tuple[float, float]:
    """Return the range along its axis, from its middle, over which a wheel's rim is round."""
    axis, center = np.array(wheel.axis), np.array(wheel.center_mm)
    ends: list[float] = []
    for face in solid.faces().filter_by(GeomType.CYLINDER):
        points = np.array([tuple(vertex) for vertex in face.vertices()]) - center
        radii = np.linalg.norm(points - np.outer(points @ axis, axis), axis=1)
        if len(points) and np.abs(radii - wheel.tip_mm).max() <= NEAR_MM:
            ends += [float(place) for place in points @ axis]
    if not ends:
        raise NoRimError("has no round rim: its teeth are drawn already, or are to be drawn by hand")
    return min(ends), max(ends)


def _rack(solid: Solid, rack: MeshRack, wheel: MeshWheel, cut: Cut, pitch_mm: float) -> ToothedPart:
    """Build the side up to the tips of the teeth and cut the gaps; `pitch_mm`: from the wheel's axis."""
    along, outwards, axis = np.array(rack.along), np.array(rack.outwards), np.array(wheel.axis)
    center, across = np.array(wheel.center_mm), np.cross(along, -outwards)
    sides = (np.array([tuple(vertex) for vertex in solid.vertices()]) - center) @ axis
    near = max(-wheel.width_mm / 2 - BESIDE_MM, float(sides.min()))
    far = min(wheel.width_mm / 2 + BESIDE_MM, float(sides.max()))
    # x along the rack from the world's origin, y from the pitch line towards the wheel
    origin = center - (center @ along) * along + pitch_mm * outwards
    nearest = near if float(across @ axis) > 0 else far
    frame = Plane(as_vector(origin + nearest * axis), as_vector(along), as_vector(across))
    tip, root = ADDENDUM * cut.system.module_mm, -DEDENDUM * cut.system.module_mm
    step = cut.system.step_mm
    low = cut.phase + ceil((rack.toothed_mm[0] - cut.phase) / step) * step - step / 2
    high = low + cut.system.teeth * step
    blank = _one(solid + _prism(frame, [(low, root), (high, root), (high, tip), (low, tip)], far - near))
    gaps = [
        _prism(frame, _gap_outline(low + number * step, cut, (root, tip + BEYOND_MM)), far - near)
        for number in range(cut.system.teeth + 1)
    ]
    return ToothedPart(rack.label, cut.system, is_rack=True, solid=_one(_drilled(blank, gaps)), blank=blank)


def _gap_outline(middle: float, cut: Cut, ends: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the corners of a gap between two heights over the pitch line."""
    angle = radians(PRESSURE_ANGLE_DEG)
    half = cut.system.step_mm / 4 + cut.play_mm / 2 / cos(angle)
    root, top = ends
    return [
        (middle - half - root * tan(angle), root),
        (middle + half + root * tan(angle), root),
        (middle + half + top * tan(angle), top),
        (middle - half - top * tan(angle), top),
    ]


def _prism(frame: Plane, outline: Sequence[tuple[float, float]], width: float) -> Solid:
    face = make_face(frame * Polyline(*outline, close=True))
    return extrude(face, amount=width, dir=frame.z_dir).solids()[0]


def _disc(radius: float, width: float, foot: Location) -> Solid:
    return Cylinder(radius, width, align=CENTRED_BELOW).solids()[0].moved(foot)


def _pieces(shape: Shape[Any] | ShapeList[Solid] | None) -> list[Solid]:
    return [] if shape is None else [solid for solid in shape.solids() if solid.volume > LEAST_MM3]


def _drilled(solid: Solid, tools: Sequence[Solid]) -> Shape[Any]:
    return solid.cut(*tools) if tools else solid  # pyright: ignore[reportUnknownMemberType] - of open type


def _joined(shape: Shape[Any], pieces: Sequence[Solid]) -> Shape[Any]:
    return shape.fuse(*pieces) if pieces else shape  # pyright: ignore[reportUnknownMemberType] - of open type


def _reach_mm(solid: Solid, center: FloatArray) -> float:
    box = solid.bounding_box()
    corners = np.array([tuple(box.min), tuple(box.max)])
    return float(np.linalg.norm(np.abs(corners - center).max(axis=0))) + BEYOND_MM


def _one(shape: Shape[Any]) -> Solid:
    solids = shape.solids()
    if len(solids) != 1 or not solids[0].is_valid:
        raise NoRimError("would fall apart with teeth; give it a wider rim")
    return solids[0]
