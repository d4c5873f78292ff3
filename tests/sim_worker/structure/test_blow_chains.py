"""The peak force of a blow on parts in series: F = sqrt(2 E k), k the stiffness of the chain."""

import pytest
from contracts.models.benchmark import Payload
from contracts.models.scene import Body
from sim_worker.model import compile_scene
from sim_worker.simulator import run_nominal
from sim_worker.structure.part_model import part_models
from sim_worker.structure.peak_stress import PeakSearch, PeakStress

from tests.sim_worker.scenes import block, box, empty_scene
from tests.sim_worker.structure.beams import MODULUS_MPA, glued, rod

FLOOR = block("ground", (0, 0, -5), (600, 600, 10), "environment")
HEIGHT_MM, WIDTH_MM, ARM_MM = 100.0, 30.0, 45.0
BOARD_MM = 25.0


def blow_on_board(post_mm: float, *others: Body) -> PeakStress:
    """Return what a thick board bears when a steel ball falls 100 mm onto its end; a post of that thickness carries
    its middle."""
    top_mm = HEIGHT_MM + BOARD_MM
    post = rod("post", (0, 0, HEIGHT_MM / 2), (post_mm, WIDTH_MM, HEIGHT_MM))
    board = rod("board", (0, 0, HEIGHT_MM + BOARD_MM / 2), (100, WIDTH_MM, BOARD_MM))
    bonds = (
        glued("lower", "post", "ground", (0, 0, 0), (post_mm, WIDTH_MM, 0)),
        glued("upper", "board", "post", (0, 0, HEIGHT_MM), (post_mm, WIDTH_MM, 0)),
    )
    start_mm = (ARM_MM, 0.0, top_mm + 15 + 100)
    ball = Payload(label="payload", shape="ball", size_mm=30, start_mm=start_mm, density_kg_m3=7850.0, friction=0.4)
    far = box((250, 250, 5), (280, 280, 60))
    bodies = (FLOOR, post, board, *others)
    world = compile_scene(empty_scene(ball, bodies=bodies, welds=bonds, goal_zone=far, duration_s=0.4))
    models = part_models(world.scene, world.layout)
    return PeakSearch(world, models).nominal(run_nominal(world).readings)["board"]


@pytest.mark.parametrize("post_mm", [10.0, 12.0, 15.0])
def test_blow_on_a_board_on_a_slender_post_agrees_with_closed_form(post_mm: float) -> None:
    """The post turns by F e H / (E I); without it, the same blow reached more than ten times the force."""
    found = blow_on_board(post_mm)

    stiffness_n_mm = MODULUS_MPA * WIDTH_MM * post_mm**3 / 12 / (ARM_MM**2 * HEIGHT_MM)
    assert found.blow_n == pytest.approx((2 * 1000 * found.energy_j * stiffness_n_mm) ** 0.5, rel=0.1)


def test_blow_on_a_board_on_a_thick_post_is_limited_by_board_and_contact() -> None:
    stiff, slender = blow_on_board(60.0).blow_n, blow_on_board(10.0).blow_n
    assert stiff is not None
    assert slender is not None
    assert stiff > 5 * slender
