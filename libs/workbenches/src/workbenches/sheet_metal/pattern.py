"""The flat pattern of a sheet: its front unrolled at the neutral layer, with its bends."""

# pyright: basic
# shapely leaves some of its overloads open; what this module exports is typed.

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from build123d import Face, GeomType, Wire
from geometry.arrays import FloatArray, as_vector
from geometry.occt.wires import points_along
from shapely import Polygon, get_coordinates, unary_union

from workbenches.findings import Position
from workbenches.sheet_metal.skins import Fault, SheetPart, SkinJoint

POINTS = 128
"""On a closed curve; on others a quarter of them."""
SEAM_MM = 1e-3
OVERLAP_MM2 = 0.5
MOST_BEND_DEG = 170.0


@dataclass(frozen=True)
class Bend:
    """One bend of a sheet."""

    face: int
    radius_mm: float
    """Inside."""
    angle_deg: float
    is_up: bool
    """Whether the front is inside."""
    zone: Polygon
    """In the pattern, between the lines where it begins and ends."""
    line_mm: FloatArray
    """(2, 2), along the middle of the zone."""
    flanges_mm: tuple[float, ...]
    """Outer height of each wall beside it."""
    point_mm: FloatArray
    """(3,), on the bent part."""


@dataclass(frozen=True)
class Hole:
    """A cut inside the outline."""

    ring: Polygon
    radius_mm: float | None
    """Of a round one."""
    point_mm: FloatArray
    """(3,), on its rim in the bent part."""
    face: int


@dataclass(frozen=True)
class FlatPattern:
    """What the laser cuts and the press brake bends; lengths in millimetres, seen from the front."""

    outline: Polygon
    bends: tuple[Bend, ...]
    holes: tuple[Hole, ...]

    @property
    def size_mm(self) -> tuple[float, float]:
        """Edges of the smallest rectangle around it, the longer one first."""
        corners = get_coordinates(self.outline.minimum_rotated_rectangle)[:3]
        first, second = (float(np.linalg.norm(b - a)) for a, b in pairwise(corners))
        return max(first, second), min(first, second)

    @property
    def cut_mm(self) -> float:
        """Length of all cuts."""
        return float(self.outline.length)


@dataclass(frozen=True)
class _Frame:
    """Where a face begins: a point on its first edge, that edge's direction and the way into the face, in 3D and 2D."""

    point_mm: FloatArray
    flat_mm: FloatArray
    along: FloatArray
    flat_along: FloatArray
    into: FloatArray
    flat_into: FloatArray


class _Unroller:
    def __init__(self, sheet: SheetPart, k_factor: float) -> None:
        self._sheet, self._mesh = sheet, sheet.mesh
        self._k_mm = k_factor * sheet.thickness_mm
        self.frames: dict[int, _Frame] = {}
        self.closed: int | None = None

    def run(self) -> None:
        base = self._sheet.base
        normal = np.array(self._mesh.surfaces[base].axis)
        along = self._mesh.axes[int(np.argmin(np.abs(self._mesh.axes @ normal)))]
        along = along - normal * float(along @ normal)
        along /= np.linalg.norm(along)
        start = self._mesh.samples.points_mm[self._mesh.samples.faces == base][0]
        frame = _Frame(start, np.zeros(2), along, np.array([1.0, 0]), np.cross(normal, along), np.array([0, 1.0]))
        self.frames[base] = frame
        self._visit(base, None)

    def flat(self, face: int, points_mm: FloatArray) -> FloatArray:
        """Return points (n, 3) of a face of the front in the pattern, (n, 2)."""
        frame = self.frames[face]
        offsets = points_mm - frame.point_mm
        along, into = offsets @ frame.along, offsets @ frame.into
        if self._mesh.surfaces[face].kind == "cylinder":
            into = self._angles(face, frame, points_mm) * self.neutral_mm(face)
        return frame.flat_mm + np.outer(along, frame.flat_along) + np.outer(into, frame.flat_into)

    def inner_mm(self, face: int) -> float:
        radius_mm = self._mesh.surfaces[face].radius_mm or 0.0
        return radius_mm if self.is_hollow(face) else radius_mm - self._sheet.thickness_mm

    def neutral_mm(self, face: int) -> float:
        return self.inner_mm(face) + self._k_mm

    def is_hollow(self, face: int) -> bool:
        center, axis = self._axis(face)
        samples = self._mesh.samples
        sample = int(np.flatnonzero(samples.faces == face)[0])
        return float(samples.normals[sample] @ _across(center - samples.points_mm[sample], axis)) > 0

    def angle_rad(self, face: int) -> float:
        return float(np.radians(self._mesh.surfaces[face].span_deg or 0.0))

    def _axis(self, face: int) -> tuple[FloatArray, FloatArray]:
        surface = self._mesh.surfaces[face]
        return np.array(surface.axis_point_mm), np.array(surface.axis)

    def _angles(self, face: int, frame: _Frame, points_mm: FloatArray) -> FloatArray:
        center, axis = self._axis(face)
        first = _across(frame.point_mm - center, axis)
        first /= np.linalg.norm(first)
        second = frame.into
        offsets = points_mm - center
        angles = np.arctan2(offsets @ second, offsets @ first)
        return np.where(angles < -np.pi / 2, angles + 2 * np.pi, angles)

    def _visit(self, face: int, entry: SkinJoint | None) -> None:
        for joint in self._sheet.joints:
            if face not in joint.faces or joint is entry:
                continue
            other = joint.faces[0] if joint.faces[1] == face else joint.faces[1]
            if other in self.frames:
                self.closed = other
                continue
            self.frames[other] = self._next(face, other, joint)
            self._visit(other, joint)

    def _next(self, face: int, other: int, joint: SkinJoint) -> _Frame:
        """Return the frame of the face beyond a joint: smooth, so that the way into it goes on straight."""
        frame = self.frames[face]
        flat = self.flat(face, joint.middle_mm[None])[0]
        along = joint.direction
        ends = self.flat(face, np.array([joint.middle_mm, joint.middle_mm + along]))
        flat_along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        normal = self._mesh.normal_at(other, as_vector(joint.middle_mm))
        into = np.cross(normal, along)
        middle = self._mesh.samples.points_mm[self._mesh.samples.faces == other].mean(axis=0)
        flat_into = np.array([-flat_along[1], flat_along[0]])
        if float((middle - joint.middle_mm) @ into) < 0:
            into, flat_into = -into, -flat_into
        return _Frame(joint.middle_mm, flat, along, flat_along, into, flat_into) if frame else frame


@lru_cache(maxsize=2)
def flat_pattern(sheet: SheetPart, k_factor: float) -> FlatPattern | Fault:
    """Unroll a sheet without faults; a fault says why it does not lie flat."""
    unroller = _Unroller(sheet, k_factor)
    for face in sheet.front:
        if (sheet.mesh.surfaces[face].span_deg or 0.0) > MOST_BEND_DEG and sheet.mesh.surfaces[face].kind == "cylinder":
            return Fault(
                "sheet_unfold", "has a wall that is rolled by more than a bend; bend it in steps", _at(sheet, face)
            )
    unroller.run()
    if unroller.closed is not None:
        text = "is closed all round and does not lie flat; open a seam, or make it of two parts"
        return Fault("sheet_unfold", text, _at(sheet, unroller.closed))
    polygons: dict[int, Polygon] = {}
    holes: list[Hole] = []
    for face in sheet.front:
        drawn = sheet.mesh.faces[face]
        inner: list[Polygon] = []
        for wire in drawn.inner_wires():
            rim = _points(drawn, wire)
            hole = Polygon(unroller.flat(face, rim)).buffer(0)
            inner.append(hole)
            holes.append(Hole(hole, _radius_mm(wire), rim[0], face))
        outer = unroller.flat(face, _points(drawn, drawn.outer_wire()))
        polygons[face] = Polygon(outer, [ring.exterior.coords for ring in inner])
    whole = unary_union([each.buffer(SEAM_MM, join_style="mitre") for each in polygons.values()])
    whole = whole.buffer(-SEAM_MM, join_style="mitre")
    if sum(each.area for each in polygons.values()) - whole.area > OVERLAP_MM2 or not isinstance(whole, Polygon):
        return Fault("sheet_unfold", "overlaps itself when it is laid flat; shorten a flange, or make it of two parts")
    bends = tuple(_bends(sheet, unroller, polygons))
    across = [ring for ring in map(Polygon, whole.interiors) if not any(hole.ring.intersects(ring) for hole in holes)]
    holes += [Hole(ring, None, bends[0].point_mm, bends[0].face) for ring in across if bends]
    return FlatPattern(whole, bends, tuple(holes))


def _bends(sheet: SheetPart, unroller: _Unroller, polygons: dict[int, Polygon]) -> Iterator[Bend]:
    for face in sheet.front:
        if sheet.mesh.surfaces[face].kind != "cylinder":
            continue
        frame, zone, angle = unroller.frames[face], polygons[face], unroller.angle_rad(face)
        corners = np.array(zone.exterior.coords)
        along = (corners - frame.flat_mm) @ frame.flat_along
        middle = frame.flat_mm + frame.flat_into * angle * unroller.neutral_mm(face) / 2
        inner_mm = unroller.inner_mm(face)
        yield Bend(
            face=face,
            radius_mm=inner_mm,
            angle_deg=float(np.degrees(angle)),
            is_up=unroller.is_hollow(face),
            zone=zone,
            line_mm=np.array([middle + frame.flat_along * end for end in (along.min(), along.max())]),
            flanges_mm=tuple(_flanges_mm(sheet, face, frame, polygons, angle * unroller.neutral_mm(face), inner_mm)),
            point_mm=frame.point_mm,
        )


def _flanges_mm(  # noqa: PLR0913, PLR0917 - what a flange's height depends on
    sheet: SheetPart, bend: int, frame: _Frame, polygons: dict[int, Polygon], zone_mm: float, inner_mm: float
) -> Iterator[float]:
    """Yield the outer height of the flat walls on both sides of a bend."""
    half = np.radians(min(sheet.mesh.surfaces[bend].span_deg or 0.0, 90.0)) / 2
    outside_mm = (inner_mm + sheet.thickness_mm) * float(np.tan(half))
    for joint in sheet.joints:
        if bend not in joint.faces:
            continue
        other = joint.faces[0] if joint.faces[1] == bend else joint.faces[1]
        if sheet.mesh.surfaces[other].kind != "plane" or other not in polygons:
            continue
        depth = (np.array(polygons[other].exterior.coords) - frame.flat_mm) @ frame.flat_into
        yield float(max(-depth.min(), depth.max() - zone_mm)) + outside_mm


def _points(face: Face, wire: Wire) -> FloatArray:
    """Return points (n, 3) along a closed wire, straight edges by their ends."""
    return points_along(face, wire, POINTS if len(wire.edges()) == 1 else POINTS // 4)


def _radius_mm(wire: Wire) -> float | None:
    edges = wire.edges()
    return (
        float(edges[0].radius) if all(edge.geom_type == GeomType.CIRCLE for edge in edges) and len(edges) == 1 else None
    )


def _across(offset: FloatArray, axis: FloatArray) -> FloatArray:
    return offset - axis * float(offset @ axis)


def _at(sheet: SheetPart, face: int) -> Position:
    samples = sheet.mesh.samples
    return Position(face, as_vector(samples.points_mm[samples.faces == face][0]))
