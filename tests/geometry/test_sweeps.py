"""Solids of revolution and extrusions: few pieces, on which a ball moves as on the true surface."""

from collections.abc import Callable
from functools import partial

import pytest
from build123d import Axis, Box, Cylinder, GeomType, Pos, Rot, Solid, Sphere, fillet
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry
from geometry.collision.extrusion import decompose_extrusion
from geometry.collision.results import MAX_GEOMS, TOLERANCE_MM
from geometry.collision.revolution import decompose_revolution

from tests.geometry.ball_drop import ball_path_mm
from tests.geometry.cached_shapes import TURNED, cached_geometry
from tests.support.solids import known_solids

LARGE_BOWL = partial(known_solids.bowl, 90.0, 6.0)

SWEPT: dict[Callable[[], Solid], int] = {
    known_solids.bowl: MAX_GEOMS,
    known_solids.rounded_bowl: MAX_GEOMS,
    LARGE_BOWL: MAX_GEOMS,
    known_solids.funnel: 45,
    known_solids.rounded_funnel: 55,
    known_solids.ring: 30,
    known_solids.tube: 20,
    known_solids.flanged_tube: 30,
    known_solids.channel: 3,
    known_solids.rounded_channel: 8,
    known_solids.bracket: 5,
    known_solids.gear: 25,
    known_solids.plate: 30,
    known_solids.perforated_plate: 90,
}
"""Parts, and how many pieces they may take."""


@pytest.fixture(autouse=True)
def no_general_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """No part here may fall back to the general cover, which takes many times as long."""
    monkeypatch.delattr(decomposition, "_cover")


@pytest.mark.sample(4)
@pytest.mark.parametrize(("make", "pieces"), SWEPT.items())
def test_swept_part_is_accurate_with_few_pieces(make: Callable[[], Solid], pieces: int) -> None:
    found = cached_geometry(make)
    assert len(found.geoms) <= pieces
    assert found.deviation.filled_outside <= 0.0005
    assert found.deviation.empty_inside <= 0.005
    assert found.deviation.protrusion_mm <= 1.5 * found.deviation.tolerance_mm


@pytest.mark.parametrize("make", [known_solids.flanged_tube, known_solids.bracket])
def test_swept_part_is_recognised_in_any_orientation(make: Callable[[], Solid]) -> None:
    assert len(collision_geometry(TURNED * make()).geoms) == len(cached_geometry(make).geoms)


@pytest.mark.parametrize(
    ("make", "radius_mm", "below_mm"), [(known_solids.plate, 14.95, 4), (known_solids.flanged_tube, 9.95, 30)]
)
def test_ball_nearly_as_wide_as_bore_drops_through(
    make: Callable[[], Solid], radius_mm: float, below_mm: float
) -> None:
    start = (0.0, 0.0, below_mm + radius_mm)
    path = ball_path_mm(cached_geometry(make).geoms, radius_mm, start, 0.5)
    assert path[-1, 2] == pytest.approx(ball_path_mm((), radius_mm, start, 0.5)[-1, 2], abs=1.0)


def test_other_solids_are_not_decomposed_as_sweeps() -> None:
    drilled = (Cylinder(20, 40) - Cylinder(10, 50) - Rot(90, 0, 0) * Cylinder(3, 100)).solid()
    slanted = (Box(40, 30, 20) - Cylinder(5, 50) - Pos(0, 0, 10) * Rot(30, 0, 0) * Cylinder(3, 100)).solid()
    off_center = (Sphere(20) - Pos(4, 0, 0) * Cylinder(5, 50)).solid()
    edges = known_solids.plate().edges().filter_by(GeomType.CIRCLE)
    for solid in (drilled, slanted, off_center, fillet(edges, 1).solid(), known_solids.hook()):
        assert decompose_revolution(solid, TOLERANCE_MM, MAX_GEOMS) is None
        assert decompose_extrusion(solid, TOLERANCE_MM, MAX_GEOMS) is None


def test_convex_profile_becomes_one_prism() -> None:
    rounded = fillet(Box(40, 50, 60).edges().filter_by(Axis.Z), 8).solid()
    pieces = decompose_extrusion(rounded, TOLERANCE_MM, MAX_GEOMS)
    assert pieces is not None
    assert len(pieces) == 1


def test_sweep_beyond_piece_limit_returns_none() -> None:
    assert decompose_revolution(known_solids.bowl(), TOLERANCE_MM, 100) is None
    assert decompose_extrusion(known_solids.plate(), TOLERANCE_MM, 10) is None
