"""Turned and extruded parts: few pieces, found quickly, and true to a ball."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from build123d import Axis, Box, Cylinder, GeomType, Pos, Rot, Solid, Sphere, fillet
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry
from geometry.collision.prisms import extruded
from geometry.collision.results import MAX_GEOMS, TOLERANCE_MM
from geometry.collision.revolution import revolved

from tests.support import known_solids
from tests.cad_worker.geometry.falling import ball_path_mm
from tests.cad_worker.geometry.filling import TURNED, filled

LARGE_BOWL = partial(known_solids.bowl, 90.0, 6.0)

SWEPT: dict[Callable[[], Solid], int] = {
    known_solids.bowl: MAX_GEOMS, known_solids.rounded_bowl: MAX_GEOMS, LARGE_BOWL: MAX_GEOMS,
    known_solids.funnel: 45, known_solids.rounded_funnel: 55, known_solids.ring: 30, known_solids.tube: 20, known_solids.flanged_tube: 30,
    known_solids.channel: 3, known_solids.rounded_channel: 8, known_solids.bracket: 5, known_solids.gear: 25, known_solids.plate: 30,
    known_solids.perforated_plate: 90,
}  # fmt: skip
"""Parts, and how many pieces they may take."""


@pytest.fixture(autouse=True)
def never_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of these parts may need the general way, which takes many times as long."""
    monkeypatch.delattr(decomposition, "_decomposed")


@pytest.mark.parametrize(("make", "pieces"), SWEPT.items())
def test_swept_parts_measure_as_true_in_few_pieces(make: Callable[[], Solid], pieces: int) -> None:
    found = filled(make)
    assert len(found.geoms) <= pieces
    assert found.deviation.filled_outside <= 0.0005
    assert found.deviation.empty_inside <= 0.005
    assert found.deviation.protrusion_mm <= 1.5 * found.deviation.tolerance_mm


@pytest.mark.parametrize("make", [known_solids.flanged_tube, known_solids.bracket])
def test_a_part_is_found_out_in_any_direction(make: Callable[[], Solid]) -> None:
    assert len(collision_geometry(TURNED * make()).geoms) == len(filled(make).geoms)


@pytest.mark.parametrize(("make", "radius_mm"), [
    (known_solids.bowl, 30), (known_solids.rounded_bowl, 30), (LARGE_BOWL, 90),
])  # fmt: skip
def test_a_ball_rests_in_a_bowl_at_its_true_height(make: Callable[[], Solid], radius_mm: float) -> None:
    path = ball_path_mm(filled(make).geoms, 8, (3, 2, 10 - radius_mm), 1.5)
    assert path[-1, 2] == pytest.approx(8 - radius_mm, abs=0.3)


@pytest.mark.parametrize("make", [known_solids.channel, known_solids.rounded_channel])
def test_a_ball_rolls_in_a_channel_as_on_a_plane(make: Callable[[], Solid]) -> None:
    path = ball_path_mm(filled(make).geoms, 8, (-50, 0, 8), 0.7, tilt_deg=4)
    expected = 5 / 7 * 9810 * np.sin(np.radians(4)) / 2 * 0.7**2
    assert path[-1, 0] + 50 == pytest.approx(expected, rel=0.03)
    assert path[300:, 2] == pytest.approx(np.full(400, 8.0), abs=0.3)


def test_a_ball_rolls_through_a_tube() -> None:
    path = ball_path_mm(filled(known_solids.tube).geoms, 8, (-50, 0, -7), 1.0, tilt_deg=5)
    inside = path[(path[:, 0] > -45) & (path[:, 0] < 55)]
    assert path[:, 0].max() > 70
    assert inside[:, 2] == pytest.approx(np.full(len(inside), -7.0), abs=0.3)


@pytest.mark.parametrize(("make", "radius_mm", "below_mm"), [(known_solids.plate, 14.95, 4), (known_solids.flanged_tube, 9.95, 30)])
def test_a_ball_as_wide_as_a_bore_drops_through(make: Callable[[], Solid], radius_mm: float, below_mm: float) -> None:
    start = (0.0, 0.0, below_mm + radius_mm)
    path = ball_path_mm(filled(make).geoms, radius_mm, start, 0.5)
    assert path[-1, 2] == pytest.approx(ball_path_mm((), radius_mm, start, 0.5)[-1, 2], abs=1.0)


@pytest.mark.parametrize("make", [known_solids.funnel, known_solids.rounded_funnel])
def test_a_ball_falls_through_a_funnel(make: Callable[[], Solid]) -> None:
    path = ball_path_mm(filled(make).geoms, 8, (12, 5, 45), 2.5)
    assert path[-1, 2] < -20


def test_what_is_neither_turned_nor_extruded_is_no_sweep() -> None:
    drilled = (Cylinder(20, 40) - Cylinder(10, 50) - Rot(90, 0, 0) * Cylinder(3, 100)).solid()
    slanted = (Box(40, 30, 20) - Cylinder(5, 50) - Pos(0, 0, 10) * Rot(30, 0, 0) * Cylinder(3, 100)).solid()
    off_center = (Sphere(20) - Pos(4, 0, 0) * Cylinder(5, 50)).solid()
    edges = known_solids.plate().edges().filter_by(GeomType.CIRCLE)
    for solid in (drilled, slanted, off_center, fillet(edges, 1).solid(), known_solids.hook()):
        assert revolved(solid, TOLERANCE_MM, MAX_GEOMS) is None
        assert extruded(solid, TOLERANCE_MM, MAX_GEOMS) is None


def test_a_convex_profile_is_one_prism() -> None:
    rounded = fillet(Box(40, 50, 60).edges().filter_by(Axis.Z), 8).solid()
    pieces = extruded(rounded, TOLERANCE_MM, MAX_GEOMS)
    assert pieces is not None
    assert len(pieces) == 1


def test_too_many_pieces_are_none() -> None:
    assert revolved(known_solids.bowl(), TOLERANCE_MM, 100) is None
    assert extruded(known_solids.plate(), TOLERANCE_MM, 10) is None
