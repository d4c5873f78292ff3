"""The smallest gap between a payload on its path and parts, zones and the environment."""

import numpy as np
import pytest
from build123d import Box, Compound, Pos
from cad_worker.utils_geometry.kernel_shapes import KernelShapes
from contracts.models.benchmark import Payload, Zone
from contracts.models.geometry import Box as Bounds

BALL = Payload(shape="ball", size_mm=20, start_mm=(0, 0, 0), density_kg_m3=1000, friction=0.5)
CUBE = BALL.model_copy(update={"shape": "cube"})
PATH_MM = np.stack([np.linspace(-50, 50, 101), np.zeros(101), np.full(101, 25.0)], axis=1)
UNTURNED = np.tile([1.0, 0.0, 0.0, 0.0], (101, 1))


def _wall() -> Compound:
    wall = Pos(20, 0, 5) * Box(4, 40, 10)
    wall.label = "low wall"
    return Compound(label="machine", children=[wall])


@pytest.mark.parametrize("payload", [BALL, CUBE])
def test_gap_over_a_wall_is_measured_at_the_wall(payload: Payload) -> None:
    shapes = KernelShapes()
    ((label, piece),) = shapes.pieces(_wall())
    gap_mm, sample = shapes.clearance(payload, PATH_MM, UNTURNED, piece)
    assert label == "low_wall"
    assert gap_mm == pytest.approx(5.0)
    assert abs(PATH_MM[sample][0] - 20) <= 12


def test_turned_cube_is_nearer_than_a_flat_one() -> None:
    shapes = KernelShapes()
    ((_, piece),) = shapes.pieces(_wall())
    turned = np.tile([np.cos(np.pi / 8), np.sin(np.pi / 8), 0.0, 0.0], (101, 1))
    gap_mm, _ = shapes.clearance(CUBE, PATH_MM, turned, piece)
    assert gap_mm == pytest.approx(15 - 10 * 2**0.5, abs=0.01)


def test_zone_that_the_path_crosses_has_no_gap() -> None:
    zone = Zone(label="red", box=Bounds(min_mm=(0, -5, 20), max_mm=(5, 5, 30)))
    ((label, piece),) = KernelShapes().pieces(zone)
    assert label == "red"
    assert KernelShapes().clearance(BALL, PATH_MM, UNTURNED, piece)[0] == 0.0
