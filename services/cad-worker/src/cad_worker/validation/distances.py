"""How near two bodies are, and what they share: boxes around them are asked first, OCCT last."""

from dataclasses import dataclass

from build123d import Location, Solid
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box, Vector
from geometry.boxes import TOUCHING_MM, OrientedBox, Separation, are_within, separation
from geometry.occt.distances import Intersection, closest_points, contact_area, intersection, signed_distance_mm

from cad_worker.validation.bodies import Block

CONTACT_GAP_MM = 0.05
"""A gap over which bodies still count as touching, and glue still holds."""
LEAST_GLUED_MM2 = 1.0
"""A smaller face holds no glue: edges and corners that touch are not joined."""
NOTHING_MM3 = 1e-9


def block_of(label: str, box: Box) -> Block:
    """Return an axis-aligned box as a body."""
    return Block(label, Solid.make_box(*box.size_mm).moved(Location(box.min_mm)))


def gap_mm(first: Block, second: Block) -> float:
    """Return the exact distance of two bodies; 0 where they touch or overlap."""
    if first.box is not None and second.box is not None and separation(first.box, second.box).gap_mm <= TOUCHING_MM:
        return 0.0
    return closest_points(first.solid, second.solid).gap_mm


def touch(first: Block, second: Block, within_mm: float = CONTACT_GAP_MM) -> bool:
    """Tell whether two bodies are at most `within_mm` apart."""
    if not are_within(first.around, second.around, within_mm):
        return False
    if first.box is not None and second.box is not None:
        # The test's gap is a lower bound of the distance: only in between must OCCT measure.
        gap = separation(first.box, second.box).gap_mm
        return gap <= TOUCHING_MM or (gap <= within_mm and gap_mm(first, second) <= within_mm)
    return gap_mm(first, second) <= within_mm


def overlap(first: Block, second: Block) -> Intersection | None:
    """Return what two bodies share, or None where they are apart or merely touch."""
    if not are_within(first.around, second.around, -TOUCHING_MM):
        return None
    if first.box is not None and second.box is not None and separation(first.box, second.box).gap_mm > -TOUCHING_MM:
        return None
    found = intersection(first.solid, second.solid)
    return found if found.volume_mm3 > NOTHING_MM3 else None


def way_out(first: Block, second: Block) -> Separation:
    """Return along which direction, and by how much, the bodies part for certain: that of the boxes around them."""
    return separation(_hull(first), _hull(second))


@dataclass(frozen=True)
class Bond:
    """Where two bodies lie upon each other."""

    gap_mm: float
    area_mm2: float
    center_mm: Vector


def bond(first: Block, second: Block) -> Bond:
    """Return the area over which two bodies could be glued, up to `CONTACT_GAP_MM` apart."""
    apart = closest_points(first.solid, second.solid)
    if apart.gap_mm > CONTACT_GAP_MM:
        return Bond(apart.gap_mm, 0.0, apart.first_mm)
    found = contact_area(first.solid, second.solid, CONTACT_GAP_MM)
    return Bond(apart.gap_mm, found.area_mm2, found.center_mm if found.area_mm2 > 0 else apart.first_mm)


def can_be_glued(first: Block, second: Block) -> bool:
    """Tell whether two bodies lie upon each other with faces that are large enough to hold glue."""
    return touch(first, second) and bond(first, second).area_mm2 >= LEAST_GLUED_MM2


def payload_gap_mm(payload: Payload, body: Block) -> float:
    """Return the gap between the true shapes of payload and body at the start; negative: how deep they overlap."""
    if payload.shape == "ball":
        return _from_point(body, payload.start_mm) - payload.size_mm / 2
    cube = block_of(payload.label, payload.box)
    if body.box is not None and cube.box is not None:
        return separation(cube.box, body.box).gap_mm
    common = overlap(cube, body)
    return gap_mm(cube, body) if common is None else -common.depth_mm


def _from_point(body: Block, point_mm: Vector) -> float:
    """Return the distance of a point from a body's surface, negative inside."""
    return signed_distance_mm(body.solid, point_mm) if body.box is None else body.box.signed_distance_mm(point_mm)


def _hull(body: Block) -> OrientedBox:
    return body.box or OrientedBox.of(body.around)
