"""Stress, buckling and deflection of parts against the closed forms of beam theory."""

import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import PartUse
from sim_worker.judge.criteria import Criteria
from sim_worker.model import compile_scene
from sim_worker.report.aggregation import aggregate
from sim_worker.simulator import run_nominal

from tests.sim_worker.scenes import block, joint, machine_scene, solid
from tests.sim_worker.structure.beams import glued, loaded_strip, rod

G = 9.81
WALL = block("wall", (0, 0, 100), (10, 100, 200), "environment")
FLOOR = block("floor", (0, 0, -5), (600, 600, 10), "environment")


def use_of(scene: Scene, label: str) -> PartUse:
    run = run_nominal(compile_scene(scene))
    result = aggregate(Criteria.of(scene, run.readings.layout), run.result, run.readings, (), "0" * 64)
    assert run.result.ending == "missed_goal", run.result.cause
    return {use.label: use for use in result.parts}[label]


def test_cantilever_with_a_weight_has_the_closed_forms() -> None:
    """A strip of 100 x 20 x 4 mm, held by its end, with a block of 0.1 kg on its other end."""
    use = use_of(loaded_strip(), "strip")
    force, modulus, moment = 0.1 * G, 20 * 4**2 / 6, 20 * 4**3 / 12
    at_first_section = force * (90 - 100 / 24)
    assert use.peak_stress_mpa == pytest.approx(at_first_section / modulus, rel=0.01)
    sag = force * 90**2 * (3 * 100 - 90) / (6 * 2600 * moment)
    assert use.peak_deflection_mm == pytest.approx(sag, rel=0.03)
    assert use.max_deflection_mm == pytest.approx(2.0)
    assert use.peak_buckling < 0.01


def test_post_under_a_weight_has_eulers_load() -> None:
    """Free at its top: twice its length counts, twice its load for safety."""
    post = rod("post", (0, 0, 100), (8, 8, 200), density_kg_m3=1.0)
    weight = solid("weight", (0, 0, 210), (20, 20, 20), 0.3 / 8e-6)
    welds = (
        glued("foot", "floor", "post", (0, 0, 0), (8, 8, 0)),
        glued("head", "post", "weight", (0, 0, 200), (8, 8, 0)),
    )
    use = use_of(machine_scene(FLOOR, post, weight, welds=welds), "post")
    euler_n = 3.14159**2 * 2600 * 8**4 / 12 / 400**2
    assert use.peak_buckling == pytest.approx(2 * 0.3 * G / euler_n, rel=0.01)
    assert use.peak_stress_mpa == pytest.approx(0.3 * G / 64, rel=0.02)


def test_own_weight_bends_as_a_spread_load() -> None:
    strip = rod("strip", (105, 0, 100), (200, 20, 5), density_kg_m3=4000.0)
    weld = glued("root", "wall", "strip", (5, 0, 100), (0, 20, 5))
    use = use_of(machine_scene(WALL, strip, welds=(weld,)), "strip")
    load = 4000e-9 * 20 * 5 * G
    moment = load * (200 - 200 / 24) ** 2 / 2
    assert use.peak_stress_mpa == pytest.approx(moment / (20 * 25 / 6), rel=0.01)
    assert use.peak_deflection_mm == pytest.approx(load * 200**4 / (8 * 2600 * 20 * 125 / 12), rel=0.03)


def test_load_of_a_contact_bends_the_part_that_bears_it() -> None:
    """A loose block rests on the end of a strip."""
    strip = rod("strip", (55, 0, 100), (100, 20, 4), density_kg_m3=1.0)
    loose = solid("loose", (95, 0, 112), (20, 20, 20), 0.1 / 8e-6)
    weld = glued("root", "strip", "wall", (5, 0, 100), (0, 20, 4))
    use = use_of(machine_scene(WALL, strip, loose, welds=(weld,)), "strip")
    assert use.peak_stress_mpa == pytest.approx(0.1 * G * (90 - 100 / 24) / (20 * 16 / 6), rel=0.15)


def test_arm_on_a_hinge_bears_its_load_at_its_stop() -> None:
    """The joint is the arm's only support; its stop holds it level."""
    arm = rod("arm", (55, 0, 100), (100, 20, 4), density_kg_m3=1.0)
    weight = solid("weight", (95, 0, 112), (20, 20, 20), 0.1 / 8e-6)
    tip = glued("tip", "weight", "arm", (95, 0, 102), (20, 20, 0))
    for parent, child in (("wall", "arm"), ("arm", "wall")):
        hinge = joint("hinge", "revolute", parent, child, (5, 0, 100), angle_range_deg=(-0.01, 0.01))
        use = use_of(machine_scene(WALL, arm, weight, welds=(tip,), joints=(hinge,)), "arm")
        expected = 0.1 * G * (90 - 100 / 24) / (20 * 16 / 6)
        assert use.peak_stress_mpa == pytest.approx(expected, rel=0.05)


def test_arm_without_welds_bears_its_own_weight() -> None:
    """Nothing but the joint holds it, and nothing is glued to it."""
    arm = rod("arm", (55, 0, 100), (100, 20, 4), density_kg_m3=4000.0)
    hinge = joint("hinge", "revolute", "wall", "arm", (5, 0, 100), angle_range_deg=(-0.01, 0.01))
    use = use_of(machine_scene(WALL, arm, joints=(hinge,)), "arm")
    weight_n, lever_mm = 4000e-9 * 100 * 20 * 4 * G, 100 - 100 / 24
    assert use.peak_stress_mpa == pytest.approx(weight_n * lever_mm**2 / 200 / (20 * 16 / 6), rel=0.05)


def test_beam_on_two_posts_bends_between_them() -> None:
    """Supported at both ends, glued over short faces: between a simple support and a built-in one."""
    beam = rod("beam", (0, 0, 102), (300, 20, 4), density_kg_m3=1.0)
    weight = solid("weight", (0, 0, 114), (20, 20, 20), 0.1 / 8e-6)
    posts = [block(f"post_{side}", (x, 0, 50), (10, 20, 100), "environment") for side, x in (("a", -145), ("b", 145))]
    welds = tuple(
        glued(f"w{x}", "beam", label, (x, 0, 100), (10, 20, 0)) for label, x in (("post_a", -145), ("post_b", 145))
    )
    tip = glued("tip", "weight", "beam", (0, 0, 104), (20, 20, 0))
    use = use_of(machine_scene(*posts, beam, weight, welds=(*welds, tip)), "beam")
    moment = 0.1 * G * 290
    assert moment / 8 * 0.8 < use.peak_stress_mpa * 20 * 16 / 6 < moment / 4 * 1.05
    stiffness = 2600 * 20 * 4**3 / 12
    assert moment * 290**2 / 192 * 0.7 < use.peak_deflection_mm * stiffness < moment * 290**2 / 48 * 1.1
