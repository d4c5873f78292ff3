from collections.abc import Callable

import numpy as np
import pytest
from build123d import Solid
from contracts.models.scene import HullGeom
from geometry.collision import decomposition
from geometry.collision.decomposition import collision_geometry
from geometry.collision.results import MAX_GEOMS, NotDecomposableError

from tests.support import known_solids
from tests.support.random_solids import heldout
from tests.cad_worker.geometry.falling import ball_path_mm
from tests.cad_worker.geometry.filling import TURNED, filled


def turned_hook() -> Solid:
    return TURNED * known_solids.hook()


def random_part() -> Solid:
    return heldout(1)[1]


@pytest.mark.parametrize("make", [turned_hook, known_solids.rounded_plate])
def test_hollow_parts_are_filled_within_tolerance(make: Callable[[], Solid]) -> None:
    found = filled(make)
    assert 1 < len(found.geoms) <= MAX_GEOMS
    assert found.deviation.filled_outside <= 0.002
    assert found.deviation.empty_inside <= 0.005
    assert found.deviation.protrusion_mm <= 0.3


def test_a_ball_drops_through_a_hole_a_little_wider() -> None:
    path = ball_path_mm(filled(known_solids.rounded_plate).geoms, 14.7, (0, 0, 20), 0.5)
    free = ball_path_mm((), 14.7, (0, 0, 20), 0.5)
    assert path[-1, 2] == pytest.approx(free[-1, 2], abs=1.0)


def test_the_same_solid_gets_the_same_geoms() -> None:
    assert collision_geometry(random_part()) == filled(random_part)


def test_what_cannot_be_filled_is_refused_with_place_and_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decomposition, "MAX_GEOMS", 3)
    with pytest.raises(
        NotDecomposableError, match=r"near \(.*\) mm: 3 convex pieces: .* are empty.*Make the part"
    ) as raised:
        collision_geometry(random_part())
    assert np.abs(raised.value.place_mm).max() < 100


def test_a_random_part_is_filled() -> None:
    found = filled(random_part)
    assert all(isinstance(geom, HullGeom) for geom in found.geoms)
    assert found.deviation.filled_outside <= 0.002
