"""Parts that move are loaded in every cycle, and plastics creep under a load that stays."""

from math import inf

import numpy as np
import pytest
from contracts.models.scene import Body
from parts_catalog.materials import MATERIALS
from parts_catalog.strength import ENDURANCE_STEEL, creep_share, cyclic_share
from sim_worker.model import compile_scene
from sim_worker.run.readings import Readings
from sim_worker.structure.monitor import PartMonitor, part_uses
from sim_worker.structure.part_model import PartModel, part_models
from sim_worker.units import Floats

from tests.sim_worker.scenes import block, joint, machine_scene, solid
from tests.sim_worker.structure.beams import glued, rod

STEPS, STEP_S = 10, 0.001


def made_of(body: Body, material_id: str) -> Body:
    assert body.strength is not None
    return body.model_copy(update={"strength": body.strength.model_copy(update={"material_id": material_id})})


def part_and_readings(material_id: str, force_n: Floats, *, moves: bool) -> tuple[PartModel, Readings]:
    """A strip that is glued to a wall or to an arm on a hinge, and a force in its glue over time."""
    arm = block("arm", (0, 0, 100), (10, 100, 200), "design" if moves else "environment")
    strip = made_of(rod("strip", (55, 0, 100), (100, 20, 4)), material_id)
    bodies, joints = [arm, strip], []
    if moves:
        bodies = [
            block("wall", (0, 120, 100), (10, 100, 200), "environment"),
            solid("arm", (0, 0, 100), (10, 100, 200)),
            strip,
        ]
        joints = [joint("hinge", "revolute", "wall", "arm", (0, 60, 100))]
    scene = machine_scene(*bodies, joints=joints, welds=(glued("root", "strip", "arm", (5, 0, 100), (0, 20, 4)),))
    world = compile_scene(scene)
    rows = np.zeros((len(force_n), world.model.nsensordata))
    rows[:, world.layout.weld_forces[0] + 2] = force_n
    if moves:
        for quaternion in world.layout.moving_quaternions:
            rows[:, quaternion] = 1.0
    parts = {part.label: part for part in part_models(world.scene, world.layout)}
    return parts["strip"], Readings(np.arange(len(force_n)).astype(np.float64) * STEP_S, rows, world.layout)


@pytest.mark.parametrize("material_id", ["pla", "pc", "pom", "aluminum-6061", "steel-s235"])
def test_stress_that_comes_and_goes_in_every_cycle_is_on_goodmans_line(material_id: str) -> None:
    material = MATERIALS[material_id]
    assert material.yield_mpa is not None
    safety = 2.0 if material_id in {"pla", "pc", "pom"} else 1.5
    metals = {"aluminum-6061": 0.3, "steel-s235": ENDURANCE_STEEL}
    endurance = {"pla": 0.18, "pc": 5.5 / 62, "pom": 5.0 / 66, **metals}[material_id]

    peak_mpa = cyclic_share(material) * material.yield_mpa / safety

    amplitude_mpa = mean_mpa = peak_mpa / 2
    assert amplitude_mpa / (endurance * material.yield_mpa) + mean_mpa / material.yield_mpa == pytest.approx(
        1.0, abs=0.02
    )


@pytest.mark.parametrize(("moves", "lasts_s", "fails"), [(False, 0.1, False), (True, 0.1, True), (True, 0.06, False)])
def test_part_that_moves_is_limited_by_fatigue_unless_the_load_is_a_jerk(
    moves: bool,
    lasts_s: float,
    fails: bool,
) -> None:
    resting, one = part_and_readings("pla", np.ones(STEPS), moves=False)
    (use,) = part_uses((resting,), one, STEPS)
    force_n = np.zeros(100)
    force_n[: round(lasts_s / STEP_S)] = 0.9 * 13.0 / use.peak_stress_mpa

    part, readings = part_and_readings("pla", force_n, moves=moves)

    failures = PartMonitor((part,), STEPS).first_failures({0: readings})
    assert bool(failures) is fails
    (use,) = part_uses((part,), readings, STEPS)
    assert use.peak_fatigue == pytest.approx(0.9 / cyclic_share(MATERIALS["pla"]) * lasts_s / 0.1 if moves else 0.0)
    if fails:
        assert "bears 7.93 MPa in every cycle (fatigue)" in failures[0][2]


@pytest.mark.parametrize(
    ("material_id", "share", "lasts", "creeps"),
    [("pla", 0.6, True, True), ("pla", 0.4, True, False), ("pla", 0.6, False, False), ("steel-s235", 0.6, True, False)],
)
def test_plastic_creeps_under_half_of_its_limit_if_the_load_stays(
    material_id: str,
    share: float,
    lasts: bool,
    creeps: bool,
) -> None:
    """A quarter of the strength is half of the admissible stress of plastics."""
    part, one = part_and_readings(material_id, np.ones(STEPS), moves=False)
    (use,) = part_uses((part,), one, STEPS)
    force_n = np.full(300, share * 13.0 / use.peak_stress_mpa)
    force_n[100 : 100 if lasts else 200] = 0.0

    _, readings = part_and_readings(material_id, force_n, moves=False)
    (use,) = part_uses((part,), readings, STEPS)

    assert use.creeps_at_mpa == (pytest.approx(share * 13.0) if creeps else 0.0)


def test_rubber_and_plastics_creep_and_metals_do_not() -> None:
    assert creep_share(MATERIALS["aluminum-6061"]) == inf
    assert creep_share(MATERIALS["pom"]) == pytest.approx(0.5)
