"""The judges of all replicas of a world: what they know of it, and what they make of a simulator that stops."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.simulation import ReplicaResult
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.judges import Judges
from sim_worker.model import World, compile_scene
from sim_worker.run.moving_average import window_steps
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import Chunk
from sim_worker.units import GRAVITY_M_S2

from tests.sim_worker import machines, scenes
from tests.sim_worker.scene_runs import simulate_world

FLOOR = scenes.block("floor", (0, 0, -25), (400, 400, 10), "environment")
BALL = scenes.ball((0, 0, 0))
ROTOR = scenes.solid("rotor", (200, 40, 100), (100, 20, 100))
HINGE = scenes.joint("hinge", "revolute", "floor", "rotor", (200, 40, 100))
CORNERS = tuple((x, y, z) for x in (-20.0, 20.0) for y in (-20.0, 20.0) for z in (-20.0, 20.0))
WORLDS = {
    "ball": scenes.empty_scene(BALL, bodies=(FLOOR,)),
    "cube": scenes.empty_scene(machines.cube((0, 0, 0)), bodies=(FLOOR,)),
    "solid": scenes.empty_scene(
        BALL.model_copy(update={"shape": "solid", "hull_mm": CORNERS, "edges_mm": (40.0, 40.0, 40.0)}), bodies=(FLOOR,)
    ),
    "two": scenes.empty_scene(
        BALL, bodies=(FLOOR,), more_payloads=(scenes.ball((100, 0, 0)).model_copy(update={"label": "blue"}),)
    ),
    "machine": scenes.empty_scene(BALL, bodies=(FLOOR, ROTOR), joints=(HINGE,)),
}


def result_of(
    world: World, readings: Readings, *, has_aftermath: bool = True, warnings: tuple[str, ...] = ()
) -> ReplicaResult | None:
    """Return what the judge of the second of two replicas finds in one chunk."""
    criteria = Criteria.of(world.scene, world.layout)
    judges = Judges.of(world, criteria, 2, has_aftermath=has_aftermath)
    return judges.evaluate([Chunk(1, readings, warnings)]).get(1)


@pytest.mark.parametrize(("name", "is_judged"), [(name, name in ("ball", "cube")) for name in WORLDS])
def test_speed_is_judged_of_a_payload_that_moves_alone(name: str, is_judged: bool) -> None:
    world = compile_scene(WORLDS[name])
    readings = simulate_world(world, 0.02)
    readings.rows[5:, readings.layout.velocity.start] = 5.0
    result = result_of(world, readings)
    assert (result is not None and result.ending == "numerical") is is_judged


@pytest.mark.parametrize("name", ["ball", "two", "machine"])
@pytest.mark.parametrize(("share", "is_spurious"), [(0.99, False), (1.01, True)])
def test_energy_is_compared_with_the_mass_of_all_that_moves(name: str, share: float, is_spurious: bool) -> None:
    """The floor has no mass; the energy of 5 mm of height may come from nothing."""
    world = compile_scene(WORLDS[name])
    readings = simulate_world(world, 0.02)
    moving_kg = {"ball": 1, "two": 2}.get(name, 1) * float(world.model.body("payload").mass[0])
    moving_kg += 0.2 if name == "machine" else 0.0
    readings.rows[:, readings.layout.energies[0]] = 0.0
    readings.rows[:, readings.layout.energies[1]] = 0.0
    readings.rows[5:, readings.layout.energies[0]] = share * moving_kg * GRAVITY_M_S2 * 0.005
    result = result_of(world, readings)
    assert (result is not None and result.ending == "numerical") is is_spurious


def in_goal(world: World) -> Readings:
    """Return readings of one second of a ball that is in the goal from the start."""
    readings = simulate_world(world, 1.0)
    readings.rows[:, readings.layout.goal] = -0.01
    return readings


def test_replica_is_watched_after_success_only_if_that_is_asked_for() -> None:
    world = compile_scene(WORLDS["ball"])
    assert result_of(world, in_goal(world)) is None
    result = result_of(world, in_goal(world), has_aftermath=False)
    assert result is not None
    assert (result.ending, result.time_s) == ("reached_goal", pytest.approx(0.5))


@pytest.mark.parametrize(
    ("warnings", "ending"), [((), None), (("mjWARN_CONTACTFULL",), "numerical"), (("mjWARN_BADQACC",), "diverged")]
)
def test_warning_ends_a_replica_that_would_go_on(warnings: tuple[str, ...], ending: str | None) -> None:
    world = compile_scene(WORLDS["ball"])
    result = result_of(world, simulate_world(world, 0.1), warnings=warnings)
    assert (None if result is None else result.ending) == ending


def test_warning_does_not_change_an_ending_before_it() -> None:
    world = compile_scene(WORLDS["ball"])
    result = result_of(world, in_goal(world), has_aftermath=False, warnings=("mjWARN_BADQACC",))
    assert result is not None
    assert result.ending == "reached_goal"


def test_run_with_a_late_command_does_not_end_by_rest_before_it() -> None:
    """A motor that holds still until it gets a command at 1.5 s."""
    frame = scenes.block("frame", (200, 0, 100), (20, 20, 20))
    control = {"kind": "steps", "times_s": (0.0, 1.5), "shares": (0.0, 1.0)}
    drive = scenes.drive("motor", "hinge", control=control, thermal_limit_s=9.0)
    shelf = scenes.block("shelf", (0, 0, -25), (60, 60, 10), "environment")
    hinge = scenes.joint("hinge", "revolute", "frame", "rotor", (200, 40, 100))
    scene = scenes.empty_scene(BALL, bodies=(shelf, frame, ROTOR), joints=(hinge,), drives=(drive,))
    world = compile_scene(scene)
    readings = simulate_world(world, 1.45)
    readings.rows[:] = readings.rows[-1]
    judges = Judges.of(world, Criteria.of(scene, world.layout), 1)
    assert not judges.evaluate([Chunk(0, readings, ())])
    still = replace(readings, time_s=readings.time_s + 1.5)
    (late,) = Judges.of(world, Criteria.of(scene, world.layout), 1).evaluate([Chunk(0, still, ())]).values()
    assert "everything came to rest" in late.cause


@pytest.mark.parametrize(("step_s", "steps"), [(0.0005, 20), (0.001, 10), (0.002, 5), (0.01, 1), (0.03, 1)])
def test_window_of_ten_milliseconds_has_at_least_one_step(step_s: float, steps: int) -> None:
    assert window_steps(step_s) == steps


def test_each_replica_is_judged_by_itself() -> None:
    world = compile_scene(WORLDS["ball"])
    judges = Judges.of(world, Criteria.of(world.scene, world.layout), 2, has_aftermath=False)
    chunks = [Chunk(0, simulate_world(world, 1.0), ()), Chunk(1, in_goal(world), ())]
    assert list(judges.evaluate(chunks)) == [1]
    np.testing.assert_array_equal(chunks[0].readings.time_s, chunks[1].readings.time_s)
