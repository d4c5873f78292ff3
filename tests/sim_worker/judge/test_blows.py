"""An overload by what moves in the environment names it as the cause, with place and time; any other does not."""

import re

import numpy as np
import pytest
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from sim_worker.simulator import SimulationSettings, Simulator

from tests.sim_worker import machines, scenes
from tests.sim_worker.structure.beams import rod

ARM_AT_DEG = 30.0
PLACE_MM = (150 * np.cos(np.radians(ARM_AT_DEG)), 150 * np.sin(np.radians(ARM_AT_DEG)))
HIT = r"the cause is `arm` of the environment, which hit `pillar` with .* N after (.*) s at \((.*)\) mm"


def struck(*, is_environment: bool) -> SimulationResult:
    """Simulate the sweeper, as a part of the environment or not, with a glued pillar in the path of its arm."""
    sweeper = machines.sweeper(payload=machines.cube((-200, -200, 20)))
    origin = "environment" if is_environment else "design"
    theirs = [body if body.label == "table" else body.model_copy(update={"origin": origin}) for body in sweeper.bodies]
    pillar = rod("pillar", (*PLACE_MM, 40), (14, 14, 80))
    glue = scenes.weld("pillar-table", "pillar", "table", (*PLACE_MM, 0), 2.0)
    welds, touching = (*sweeper.welds, glue), (*sweeper.touching, ("pillar", "table"))
    changes = {"bodies": (*theirs, pillar), "welds": welds, "touching": touching}
    scene = Scene.model_validate({**sweeper.__dict__, **changes})
    return Simulator(1).simulate(scene, SimulationSettings(replicas=1, seed=0)).result


def test_overload_by_the_arm_of_the_environment_names_arm_place_and_time() -> None:
    result = struck(is_environment=True)
    assert result.nominal.ending == "overloaded"
    found = re.search(HIT, result.nominal.cause)
    assert found is not None, result.nominal.cause
    assert float(found[1]) == pytest.approx(result.nominal.time_s, abs=0.06)
    x, y, _ = (float(each) for each in found[2].split(","))
    assert (x, y) == (pytest.approx(PLACE_MM[0], abs=15), pytest.approx(PLACE_MM[1], abs=15))
    assert re.search(HIT, result.summary_md.splitlines()[0])


def test_overload_by_the_designs_own_arm_is_not_blamed_on_the_environment() -> None:
    nominal = struck(is_environment=False).nominal
    assert nominal.ending in {"overloaded", "penetrated"}
    assert "of the environment" not in nominal.cause
