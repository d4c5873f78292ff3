from collections.abc import Callable

import numpy as np
import pytest
from build123d import Location, Solid
from cad_worker.geometry.collision import preparing
from cad_worker.geometry.collision.preparing import collision_geometry
from cad_worker.geometry.collision.results import MAX_GEOMS, NotDecomposableError
from contracts.scene import HullGeom

from perf.geometry import shapes
from perf.geometry.heldout import heldout
from tests.cad_worker.geometry.falling import ball_path_mm


@pytest.mark.parametrize("make", [shapes.bracket, shapes.hook, shapes.gear, shapes.rounded_plate, shapes.rounded_tube])
def test_hollow_parts_are_filled_within_tolerance(make: Callable[[], Solid]) -> None:
    found = collision_geometry(Location((5, 6, 7), (10, 20, 30)) * make())
    assert 1 < len(found.geoms) <= MAX_GEOMS
    assert found.deviation.filled_outside <= 0.002
    assert found.deviation.empty_inside <= 0.005
    assert found.deviation.protrusion_mm <= 0.3


def test_a_ball_rests_in_a_bowl_at_its_true_height() -> None:
    path = ball_path_mm(collision_geometry(shapes.bowl()).geoms, 8, (6, 3, -18), 2.0)
    assert path[-1, 2] == pytest.approx(-22, abs=0.3)


@pytest.mark.parametrize("make", [shapes.channel, shapes.rounded_channel])
def test_a_ball_rolls_in_a_channel_as_on_a_plane(make: Callable[[], Solid]) -> None:
    path = ball_path_mm(collision_geometry(make()).geoms, 8, (-50, 0, 8), 0.7, tilt_deg=4)
    expected = 5 / 7 * 9810 * np.sin(np.radians(4)) / 2 * 0.7**2
    assert path[-1, 0] + 50 == pytest.approx(expected, rel=0.03)
    assert path[300:, 2] == pytest.approx(np.full(400, 8.0), abs=0.3)


@pytest.mark.parametrize("make", [shapes.tube, shapes.rounded_tube])
def test_a_ball_rolls_through_a_tube(make: Callable[[], Solid]) -> None:
    path = ball_path_mm(collision_geometry(make()).geoms, 8, (-50, 0, -7), 1.0, tilt_deg=5)
    inside = path[(path[:, 0] > -45) & (path[:, 0] < 55)]
    assert path[:, 0].max() > 70
    assert inside[:, 2] == pytest.approx(np.full(len(inside), -7.0), abs=0.3)


@pytest.mark.parametrize("make", [shapes.plate, shapes.rounded_plate])
def test_a_ball_drops_through_a_hole_a_little_wider(make: Callable[[], Solid]) -> None:
    path = ball_path_mm(collision_geometry(make()).geoms, 14.7, (0, 0, 20), 0.5)
    free = ball_path_mm((), 14.7, (0, 0, 20), 0.5)
    assert path[-1, 2] == pytest.approx(free[-1, 2], abs=1.0)


def test_a_ball_falls_through_a_funnel() -> None:
    path = ball_path_mm(collision_geometry(shapes.funnel()).geoms, 8, (12, 5, 45), 2.5)
    assert path[-1, 2] < -20


def test_the_same_solid_gets_the_same_geoms() -> None:
    assert collision_geometry(shapes.bracket()) == collision_geometry(shapes.bracket())


def test_what_cannot_be_filled_is_refused_with_place_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "MAX_GEOMS", 3)
    with pytest.raises(
        NotDecomposableError, match=r"near \(.*\) mm: 3 convex pieces: .* are empty.*Make the part"
    ) as raised:
        collision_geometry(shapes.plate())
    assert np.abs(raised.value.place_mm).max() < 50


@pytest.mark.parametrize("number", [1, 2, 3, 4, 7])
def test_random_parts_are_filled_or_refused(number: int) -> None:
    _, solid = heldout(number)
    found = collision_geometry(solid)
    assert all(isinstance(geom, HullGeom) for geom in found.geoms)
    assert found.deviation.filled_outside <= 0.002
