from collections.abc import Callable

import numpy as np
import pytest
from build123d import Solid
from contracts.models.scene import HullGeom
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import MAX_GEOMS, NotDecomposableError

from tests.geometry.ball_drop import ball_path_mm
from tests.geometry.cached_shapes import TURNED, cached_geometry
from tests.support.solids import known_solids
from tests.support.solids.random_solids import heldout


def turned_hook() -> Solid:
    return TURNED * known_solids.hook()


def random_part() -> Solid:
    return heldout(1)[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize("make", [turned_hook, known_solids.rounded_plate])
def test_cover_of_concave_part_is_within_tolerance(make: Callable[[], Solid]) -> None:
    found = cached_geometry(make)
    assert 1 < len(found.geoms) <= MAX_GEOMS
    assert found.deviation.filled_outside <= 0.002
    assert found.deviation.empty_inside <= 0.005
    assert found.deviation.protrusion_mm <= 0.3


def test_hole_lets_a_slightly_smaller_ball_through() -> None:
    path = ball_path_mm(cached_geometry(known_solids.rounded_plate).geoms, 14.7, (0, 0, 20), 0.5)
    free = ball_path_mm((), 14.7, (0, 0, 20), 0.5)
    assert path[-1, 2] == pytest.approx(free[-1, 2], abs=1.0)


def test_collision_geometry_of_equal_solids_is_equal() -> None:
    assert collision_geometry(random_part()) == cached_geometry(random_part)


def test_too_few_geoms_raise_error_with_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decomposition, "MAX_GEOMS", 3)
    with pytest.raises(NotDecomposableError, match=r"near \(.*\) mm: 3 convex pieces: ") as raised:
        collision_geometry(random_part())
    assert np.abs(raised.value.point_mm).max() < 100


def test_cover_of_random_part_is_made_of_hulls() -> None:
    found = cached_geometry(random_part)
    assert all(isinstance(geom, HullGeom) for geom in found.geoms)
    assert found.deviation.filled_outside <= 0.002
