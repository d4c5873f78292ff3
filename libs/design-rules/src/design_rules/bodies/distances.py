"""Distance, overlap and contact of two bodies: their bounding boxes are compared first, exact shapes last."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from build123d import Location, Solid
from contracts.criteria import CONTACT_GAP_MM
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box, Vector
from geometry.boxes import TOUCHING_MM, OrientedBox, Separation, are_within, separation
from geometry.occt.brep import GeometryFailedError
from geometry.occt.contact_patches import ContactPatch, contact_patch
from geometry.occt.distances import Intersection, closest_points, intersection, signed_distance_mm

from design_rules.bodies.payload_shape import payload_body
from design_rules.bodies.solid_bodies import SolidBody

LEAST_GLUED_MM2 = 1.0
"""Smaller faces hold no glue: touching edges and corners are not joined."""
NO_VOLUME_MM3 = 1e-9


def box_body(label: str, box: Box) -> SolidBody:
    """Return an axis-aligned box as a body."""
    return SolidBody(label, Solid.make_box(*box.size_mm).moved(Location(box.min_mm)))


def gap_mm(first: SolidBody, second: SolidBody) -> float:
    """Return the exact distance of two bodies; 0 where they touch or overlap."""
    if first.box is not None and second.box is not None and separation(first.box, second.box).gap_mm <= TOUCHING_MM:
        return 0.0
    with _naming(first, second):
        return closest_points(first.solid, second.solid).gap_mm


def are_touching(first: SolidBody, second: SolidBody, within_mm: float = CONTACT_GAP_MM) -> bool:
    """Tell whether two bodies are at most `within_mm` apart."""
    if not are_within(first.bounds, second.bounds, within_mm):
        return False
    if first.box is not None and second.box is not None:
        # The gap of the separating-axis test is a lower bound of the distance: only in between must OCCT measure.
        gap = separation(first.box, second.box).gap_mm
        return gap <= TOUCHING_MM or (gap <= within_mm and gap_mm(first, second) <= within_mm)
    return gap_mm(first, second) <= within_mm


def overlap(first: SolidBody, second: SolidBody) -> Intersection | None:
    """Return the common volume of two bodies, or None where they are apart or merely touch."""
    if not are_within(first.bounds, second.bounds, -TOUCHING_MM):
        return None
    if first.box is not None and second.box is not None and separation(first.box, second.box).gap_mm > -TOUCHING_MM:
        return None
    with _naming(first, second):
        common = intersection(first.solid, second.solid)
    return common if common.volume_mm3 > NO_VOLUME_MM3 else None


def box_separation(first: SolidBody, second: SolidBody) -> Separation:
    """Return distance or overlap of the boxes around two bodies: moving one by that separates them."""
    return separation(_oriented_bounds(first), _oriented_bounds(second))


@dataclass(frozen=True)
class GlueContact:
    """The area over which two bodies can be glued."""

    gap_mm: float
    area_mm2: float
    center_mm: Vector
    patch: ContactPatch | None = None
    """None if they do not touch."""


def glue_contact(first: SolidBody, second: SolidBody) -> GlueContact:
    """Return the area over which two bodies can be glued, up to `CONTACT_GAP_MM` apart."""
    with _naming(first, second):
        closest = closest_points(first.solid, second.solid)
    if closest.gap_mm > CONTACT_GAP_MM:
        return GlueContact(closest.gap_mm, 0.0, closest.first_mm)
    with _naming(first, second):
        patch = contact_patch(first.solid, second.solid, CONTACT_GAP_MM)
    if patch.area_mm2 <= 0:
        return GlueContact(closest.gap_mm, 0.0, closest.first_mm)
    return GlueContact(closest.gap_mm, patch.area_mm2, patch.center_mm, patch)


@contextmanager
def _naming(first: SolidBody, second: SolidBody) -> Generator[None]:
    """Name two bodies in the error of a measurement that fails."""
    try:
        yield
    except GeometryFailedError as error:
        raise GeometryFailedError(f"{first.label} and {second.label}: {error}") from error


def can_be_glued(first: SolidBody, second: SolidBody) -> bool:
    """Tell whether two bodies touch over an area that is large enough for glue."""
    return are_touching(first, second) and glue_contact(first, second).area_mm2 >= LEAST_GLUED_MM2


def payload_gap_mm(payload: Payload, body: SolidBody) -> float:
    """Return the gap between the exact shapes of payload and body at the start; negative: depth of their overlap."""
    if payload.shape == "ball":
        return _signed_distance_mm(body, payload.start_mm) - payload.size_mm / 2
    placed = payload_body(payload)
    if body.box is not None and placed.box is not None:
        return separation(placed.box, body.box).gap_mm
    common = overlap(placed, body)
    return gap_mm(placed, body) if common is None else -common.depth_mm


def _signed_distance_mm(body: SolidBody, point_mm: Vector) -> float:
    return signed_distance_mm(body.solid, point_mm) if body.box is None else body.box.signed_distance_mm(point_mm)


def _oriented_bounds(body: SolidBody) -> OrientedBox:
    return body.box or OrientedBox.of(body.bounds)
