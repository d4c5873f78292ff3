"""The exact shapes of payloads, and the solids that environments build as such."""

from math import pi

import pytest
from build123d import Axis, Box, Cylinder, Location, Pos, Solid, Sphere, chamfer
from contracts.models.benchmark import Payload, PayloadShape
from contracts.models.geometry import turned_by
from design_rules.bodies.distances import payload_gap_mm
from design_rules.bodies.payload_shape import UnfitPayloadError, hull_corners, payload_solid
from design_rules.bodies.solid_bodies import SolidBody

from tests.contracts.models.payloads import MEASURES, WEDGE, payload

VOLUMES: dict[PayloadShape, float] = {
    "ball": 4 / 3 * pi * 20**3,
    "cube": 40**3,
    "box": 60 * 40 * 20,
    "cylinder": pi * 20**2 * 60,
    "capsule": 4 / 3 * pi * 20**3 + pi * 20**2 * 20,
    "solid": 40 * 30 * 24 / 2,
}
FLOOR = SolidBody("floor", Solid.make_box(400, 400, 10).moved(Location((-200, -200, -10))))
POST = SolidBody("post", Solid.make_cylinder(5, 400).moved(Location((100, 0, -200))))


@pytest.mark.parametrize("shape", MEASURES)
def test_solid_of_a_payload_has_its_volume_around_the_origin(shape: PayloadShape) -> None:
    made = payload_solid(payload(shape))
    assert made.volume == pytest.approx(VOLUMES[shape])
    assert tuple(made.bounding_box().size) == pytest.approx(payload(shape).extents_mm, abs=1e-3)


@pytest.mark.parametrize("shape", MEASURES)
def test_gap_is_measured_to_the_turned_shape(shape: PayloadShape) -> None:
    turned = payload(shape, start_mm=(0, 0, 80), start_quaternion=turned_by((30, 0, 0)))
    assert payload_gap_mm(turned, FLOOR) == pytest.approx(turned.box.min_mm[2], abs=0.03)
    sunk = turned.model_copy(update={"start_mm": (0, 0, 80 - turned.box.min_mm[2] - 1)})
    assert payload_gap_mm(sunk, FLOOR) == pytest.approx(-1, abs=0.05)


@pytest.mark.parametrize(("shape", "gap_mm"), [("cylinder", 75), ("capsule", 75), ("box", 65), ("solid", 75)])
def test_gap_beside_a_post_is_exact(shape: PayloadShape, gap_mm: float) -> None:
    assert payload_gap_mm(payload(shape), POST) == pytest.approx(gap_mm, abs=0.01)


def solid_of(edges_mm: tuple[float, float, float]) -> Payload:
    return payload("solid", size_mm=max(edges_mm), edges_mm=edges_mm, hull_mm=())


def test_corners_of_a_polyhedron_are_its_own() -> None:
    block = chamfer(Box(40, 30, 24).edges().filter_by(Axis.Z), 5).solids()[0]
    corners = hull_corners(block, solid_of((40, 30, 24)))
    assert len(corners) == 16
    assert payload("solid", hull_mm=corners).box.size_mm == pytest.approx((40, 30, 24))


def test_round_solid_gets_corners_close_to_its_surface() -> None:
    corners = hull_corners(Cylinder(20, 30).solids()[0], solid_of((40, 40, 30)))
    assert payload_solid(payload("solid", hull_mm=corners)).volume == pytest.approx(pi * 20**2 * 30, rel=0.02)


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        (Box(40, 30, 24) - Pos(0, 0, 10) * Box(20, 40, 20), "not convex: it fills 7"),
        (Pos(0, 0, 12) * Box(40, 30, 24), r"the middle of its box at \(0, 0, 0\)"),
        (Box(40, 30, 20), "40 x 30 x 24 mm"),
    ],
)
def test_solid_that_cannot_be_a_payload_is_refused(shape: Box, fault: str) -> None:
    with pytest.raises(UnfitPayloadError, match=fault):
        hull_corners(shape.solids()[0], solid_of((40, 30, 24)))


def test_solid_with_too_many_corners_is_refused() -> None:
    with pytest.raises(UnfitPayloadError, match="at most 500"):
        hull_corners(Sphere(20).solids()[0], solid_of((40, 40, 40)))


def test_wedge_of_the_tests_fills_half_its_box() -> None:
    assert payload_solid(payload("solid", hull_mm=WEDGE)).volume == pytest.approx(40 * 30 * 24 / 2)
