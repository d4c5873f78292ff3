"""Parts that lie glued flat on the ground: what presses on them goes through them, and does not bend them."""

import pytest
from contracts.models.benchmark import Payload
from contracts.models.geometry import Vector
from contracts.models.scene import Body, Weld
from contracts.models.simulation import PartUse
from sim_worker.model import compile_scene
from sim_worker.run.moving_average import window_steps
from sim_worker.simulator import run_nominal
from sim_worker.structure.monitor import part_uses
from sim_worker.structure.part_model import part_models

from tests.sim_worker.scenes import block, box, empty_scene
from tests.sim_worker.structure.beams import glued, rod

FLOOR = block("ground", (0, 0, -5), (600, 600, 10), "environment")


def uses(ball_mm: Vector, *parts: Body, welds: tuple[Weld, ...]) -> dict[str, PartUse]:
    """Return how parts are used by a steel ball that falls from there."""
    ball = Payload(
        label="payload",
        shape="ball",
        size_mm=30,
        start_mm=ball_mm,
        density_kg_m3=7850.0,
        friction=0.4,
    )
    far = box((250, 250, 5), (280, 280, 60))
    scene = empty_scene(ball, bodies=(FLOOR, *parts), welds=welds, goal_zone=far, duration_s=0.6)
    world = compile_scene(scene)
    models = part_models(scene, world.layout)
    found = part_uses(models, run_nominal(world).readings, window_steps(world.step_s))
    return {use.label: use for use in found}


@pytest.mark.parametrize("size_mm", [(60, 6, 3), (80, 5, 2), (200, 20, 2), (400, 60, 3)])
@pytest.mark.parametrize("share", [0.0, 0.45])
def test_strip_glued_flat_is_not_bent_by_a_ball(size_mm: Vector, share: float) -> None:
    """Under a ball at its end, a raft of 60 x 6 x 3 mm showed 20 MPa of 13, one of 80 x 5 x 2 mm 72 MPa."""
    strip = rod("strip", (0, 0, size_mm[2] / 2), size_mm)
    bond = glued("bond", "strip", "ground", (0, 0, 0), (size_mm[0], size_mm[1], 0))
    assert uses((share * size_mm[0], 0, 110), strip, welds=(bond,))["strip"].peak_stress_mpa < 1.0


@pytest.mark.parametrize("beside_mm", [10.0, 12.0])
def test_strip_glued_flat_is_not_bent_by_a_ball_that_pushes_it_aside(beside_mm: float) -> None:
    """A ball on its edge pushes a strip of 6 x 3 mm aside as much as down; the hinge of a flap does the same."""
    strip = rod("strip", (0, 0, 1.5), (60, 6, 3))
    bond = glued("bond", "strip", "ground", (0, 0, 0), (60, 6, 0))
    assert uses((0, 3 + beside_mm, 110), strip, welds=(bond,))["strip"].peak_stress_mpa < 1.0


def test_fin_glued_on_its_edge_is_bent_aside() -> None:
    """What acts higher than the glue is wide does not go straight through."""
    fin = rod("fin", (0, 0, 20), (200, 3, 40))
    bond = glued("bond", "fin", "ground", (0, 0, 0), (200, 3, 0))
    assert uses((0, 11.5, 120), fin, welds=(bond,))["fin"].peak_stress_mpa > 1.0


def test_strip_on_a_plate_that_lies_flat_is_not_bent() -> None:
    plate, strip = rod("plate", (0, 0, 2), (200, 100, 4)), rod("strip", (0, 0, 5.5), (80, 5, 3))
    bonds = (
        glued("lower", "plate", "ground", (0, 0, 0), (200, 100, 0)),
        glued("upper", "strip", "plate", (0, 0, 4), (80, 5, 0)),
    )
    found = uses((36, 0, 110), plate, strip, welds=bonds)
    assert max(found["strip"].peak_stress_mpa, found["plate"].peak_stress_mpa) < 1.0


def test_post_on_a_strip_that_lies_flat_does_not_bend_the_strip() -> None:
    strip, post = rod("strip", (0, 0, 1), (300, 30, 2)), rod("post", (120, 0, 52), (30, 30, 100))
    bonds = (
        glued("lower", "strip", "ground", (0, 0, 0), (300, 30, 0)),
        glued("upper", "post", "strip", (120, 0, 2), (30, 30, 0)),
    )
    assert uses((120, 0, 220), strip, post, welds=bonds)["strip"].peak_stress_mpa < 1.0


def test_strip_over_a_gap_between_two_plates_bends() -> None:
    """The same ball on a strip that only its ends carry, and on an end that hangs over."""
    feet = tuple(rod(f"foot_{side}", (side * 90, 0, 10), (20, 20, 20)) for side in (-1, 1))
    strip = rod("strip", (0, 0, 21.5), (200, 20, 3))
    bonds = tuple(
        bond
        for side in (-1, 1)
        for bond in (
            glued(f"lower{side}", f"foot_{side}", "ground", (side * 90, 0, 0), (20, 20, 0)),
            glued(f"upper{side}", "strip", f"foot_{side}", (side * 90, 0, 20), (20, 20, 0)),
        )
    )
    assert uses((0, 0, 130), strip, *feet, welds=bonds)["strip"].peak_stress_mpa > 5.0


def test_strip_that_hangs_over_its_bed_bends() -> None:
    base, strip = rod("base", (-60, 0, 10), (80, 20, 20)), rod("strip", (0, 0, 21.5), (200, 20, 3))
    bonds = (
        glued("lower", "base", "ground", (-60, 0, 0), (80, 20, 0)),
        glued("upper", "strip", "base", (-60, 0, 20), (80, 20, 0)),
    )
    assert uses((80, 0, 130), base, strip, welds=bonds)["strip"].peak_stress_mpa > 13.0
