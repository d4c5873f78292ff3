"""Toothed solids: the wheel or rack with its involute teeth, and the blank that they are cut from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, radians, tan

import numpy as np
from build123d import Cylinder, GeomType, Location, Plane, Polyline, Solid, extrude, make_face
from build123d.topology import Shape
from geometry.arrays import FloatArray, as_vector
from py_gearworks import SpurGear

from build_package.teeth.meshes import MeshRack, MeshWheel, ToothMesh, whole_racks
from build_package.teeth.phases import phases, start_direction
from build_package.teeth.systems import ToothSystem, tooth_systems

PRESSURE_ANGLE_DEG = 20.0
ADDENDUM, DEDENDUM = 1.0, 1.25
"""Of the module: height of a tooth above its pitch line, and depth of a gap below it (ISO 53)."""
PRINTED_PLAY_MM, CUT_PLAY_MM = 0.1, 0.04
"""[E] between the flanks of two wheels, on either side of a tooth."""
NEAR_MM = 0.05
"""Between a rim and the radius that was measured."""
BEYOND_MM = 1.0
"""By which tools of a cut reach out of the part."""
BESIDE_MM = 1.0
"""By which the teeth of a rack are wider than its wheel, to either side."""


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
            if side.label in found or side.label not in solids:
                continue
            system, phase = systems[side.label], places[side.label]
            play_mm = PRINTED_PLAY_MM if side.label in printed else CUT_PLAY_MM
            try:
                found[side.label] = (
                    _rack(solids[side.label], side, mesh.wheel, systems[mesh.wheel.label].pitch_mm, system, phase, play_mm)
                    if isinstance(side, MeshRack)
                    else _wheel(solids[side.label], side, system, phase, play_mm)
                )
            except NoRimError as error:
                problems[side.label] = str(error)
    return found, problems


def _wheel(solid: Solid, wheel: MeshWheel, system: ToothSystem, phase: float, play_mm: float) -> ToothedPart:
    """Draw teeth in place of the rim; what is inside of it or beside it stays as it was modelled."""
    axis, center = np.array(wheel.axis), np.array(wheel.center_mm)
    low, high = _rim_range_mm(solid, wheel)
    start = start_direction(axis)
    across = np.cos(phase) * start + np.sin(phase) * np.cross(axis, start)
    foot = Location(Plane(as_vector(center + low * axis), as_vector(across), as_vector(axis)))
    width, module = high - low, system.module_mm
    gear = SpurGear(
        system.teeth,
        height=width,
        module=module,
        backlash=play_mm / module,
        addendum_coefficient=ADDENDUM,
        dedendum_coefficient=DEDENDUM,
        pressure_angle=radians(PRESSURE_ANGLE_DEG),
    )
    toothed: Shape = gear.build_part().solids()[0].moved(foot)
    blank: Shape = _disc(system.pitch_mm + ADDENDUM * module, 0, width, foot)
    core = _disc(system.pitch_mm - DEDENDUM * module, 0, width, foot)
    holes = core - solid
    reach = _reach_mm(solid, center)
    beside = solid - _disc(reach, 0, width, foot)
    for piece in holes.solids() if holes else ():
        toothed, blank = toothed - piece, blank - piece
    for piece in beside.solids() if beside else ():
        toothed, blank = toothed + piece, blank + piece
    return ToothedPart(wheel.label, system, is_rack=False, solid=_one(toothed), blank=_one(blank))


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


def _rack(
    solid: Solid, rack: MeshRack, wheel: MeshWheel, pitch_mm: float, system: ToothSystem, phase: float, play_mm: float
) -> ToothedPart:
    """Build the side up to the tips of the teeth and cut the gaps; `pitch_mm`: from the wheel's axis."""
    along, outwards, axis = np.array(rack.along), np.array(rack.outwards), np.array(wheel.axis)
    center = np.array(wheel.center_mm)
    vertices = np.array([tuple(vertex) for vertex in solid.vertices()])
    sides = (vertices - center) @ axis
    near = max(-wheel.width_mm / 2 - BESIDE_MM, float(sides.min()))
    far = min(wheel.width_mm / 2 + BESIDE_MM, float(sides.max()))
    # x along the rack from the world's origin, y from the pitch line towards the wheel
    origin = center - (center @ along) * along + pitch_mm * outwards
    across = np.cross(along, -outwards)
    nearest = near if float(across @ axis) > 0 else far
    frame = Plane(as_vector(origin + nearest * axis), as_vector(along), as_vector(across))
    width = far - near
    module = system.module_mm
    tip, root = ADDENDUM * module, -DEDENDUM * module
    step = system.step_mm
    low = phase + ceil((rack.toothed_mm[0] - phase) / step) * step - step / 2
    high = low + system.teeth * step
    blank = solid + _prism(frame, [(low, root), (high, root), (high, tip), (low, tip)], width)
    half = step / 4 + play_mm / 2 / np.cos(radians(PRESSURE_ANGLE_DEG))
    slope = tan(radians(PRESSURE_ANGLE_DEG))
    gaps = [
        _prism(frame, _gap_outline(low + number * step, half, slope, root, tip + BEYOND_MM), width)
        for number in range(system.teeth + 1)
    ]
    toothed = blank.cut(*gaps)
    return ToothedPart(rack.label, system, is_rack=True, solid=_one(toothed), blank=_one(blank))


def _gap_outline(middle: float, half: float, slope: float, root: float, top: float) -> list[tuple[float, float]]:
    return [
        (middle - half - root * slope, root),
        (middle + half + root * slope, root),
        (middle + half + top * slope, top),
        (middle - half - top * slope, top),
    ]


def _prism(frame: Plane, outline: Sequence[tuple[float, float]], width: float) -> Solid:
    face = make_face(frame * Polyline(*outline, close=True))
    return extrude(face, amount=width, dir=frame.z_dir).solids()[0]


def _disc(radius: float, low: float, high: float, foot: Location) -> Solid:
    disc = Cylinder(radius, high - low).solids()[0].moved(Location((0, 0, (low + high) / 2)))
    return disc.moved(foot)


def _reach_mm(solid: Solid, center: FloatArray) -> float:
    box = solid.bounding_box()
    corners = np.array([tuple(box.min), tuple(box.max)])
    return float(np.linalg.norm(np.abs(corners - center).max(axis=0))) + BEYOND_MM


def _one(shape: Shape) -> Solid:
    solids = shape.solids()
    if len(solids) != 1 or not solids[0].is_valid:
        raise NoRimError("would fall apart with teeth; give it a wider rim")
    return solids[0]
