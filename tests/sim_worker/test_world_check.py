"""The check of a world before any role sees it."""

import re
import time
from dataclasses import replace
from uuid import UUID
from zlib import crc32

import pytest
from artifacts.testing import FakeArtifacts
from benchmarks.loader import built_in, load
from contracts.envelope import outcome_id
from contracts.events.run import EnvironmentBuilt, WorldChecked, WorldRefused
from contracts.models.scene import Scene
from sim_worker.media.world_picture import draw_world
from sim_worker.model import compile_scene
from sim_worker.world_check import WorldRefusedError, check_compiled, check_world
from sim_worker.world_handlers import check_environment

from tests.contracts import example_values as values
from tests.sim_worker import scenes
from tests.support.environment_build import build_from_script

QUICK_S = 4.0
"""For the check of one world of the suite; measured: 0.01 to 0.04 s."""


def falling(**changes: object) -> Scene:
    """Return a ball above a floor, with the goal far to the side."""
    floor = scenes.block("floor", (0, 0, -10), (600, 600, 20), "environment")
    fields = {"bodies": (floor,), "goal_zone": scenes.box((200, 200, 0), (280, 280, 80)), "hold_s": 0.5}
    return scenes.empty_scene(scenes.ball((0, 0, 100)), **(fields | changes))


def refusal_of(scene: Scene) -> WorldRefusedError:
    with pytest.raises(WorldRefusedError) as caught:
        check_world(scene)
    return caught.value


def swinging(joint_mm: float = 60.0, **changes: object) -> Scene:
    """Return the falling ball beside an arm of the environment on a hinge whose axis is level."""
    arm = scenes.solid("arm", (-200, -200, 200), (120, 10, 10)).model_copy(update={"origin": "environment"})
    post = scenes.block("post", (-200, -150, 100), (10, 10, 200), "environment")
    hinge = scenes.joint("hinge", "revolute", "post", "arm", (-200 - joint_mm, -200, 200), axis=(0, 1, 0))
    return falling(bodies=(*falling().bodies, post, arm), joints=(hinge,), **changes)


def test_world_that_needs_a_machine_is_checked_with_what_happens_without_one() -> None:
    checked = check_world(falling())
    assert checked.without_machine.startswith("without a machine the payload missed the goal after ")
    assert "to the goal zone" in checked.without_machine
    assert draw_world(checked).startswith(b"\x89PNG")


@pytest.mark.parametrize("hold_s", [0.0, 0.5])
def test_world_that_solves_itself_is_refused_with_time_and_place(hold_s: float) -> None:
    refusal = refusal_of(falling(goal_zone=scenes.box((-30, -30, 0), (30, 30, 30)), hold_s=hold_s))
    assert refusal.reason == "solves_itself"
    assert "(0, 0, " in refusal.detail
    assert "move the start or the goal zone" in refusal.detail
    assert refusal.simulated is not None


def test_payload_that_falls_through_the_goal_and_leaves_it_needs_a_machine() -> None:
    assert check_world(falling(goal_zone=scenes.box((-30, -30, 60), (30, 30, 75)), hold_s=0.5))


def test_moving_part_that_overlaps_is_refused() -> None:
    scene = swinging()
    inside = scenes.block("wall", (-200, -200, 200), (8, 8, 8), "environment")
    refusal = refusal_of(scene.model_copy(update={"bodies": (*scene.bodies, inside)}))
    assert refusal.reason == "initial_penetration"
    assert "arm" in refusal.detail
    assert "mm" in refusal.detail


def test_moving_part_within_bounds_is_sound_and_its_way_is_named() -> None:
    checked = check_world(swinging())
    assert checked.trajectory.bodies == ("arm",)
    moved = re.search(r"; arm moves by up to ([\d.]+) mm$", checked.without_machine)
    assert moved is not None
    assert 60 < float(moved[1]) <= 120, "its centre hangs 60 mm from the hinge"


def test_world_that_gains_energy_is_unstable() -> None:
    floor = scenes.block("floor", (0, 0, -105), (400, 400, 10), "environment")
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 300)), bodies=(floor,), duration_s=4.0))
    world.model.opt.timestep = 0.002
    world.model.geom_solref[:] = (0.005, 0.1)  # far too stiff for such a step
    with pytest.raises(WorldRefusedError, match="more energy") as caught:
        check_compiled(replace(world, step_s=0.002))
    assert caught.value.reason == "unstable"


def test_moving_part_that_leaves_the_bounds_is_refused_whatever_the_payload_does() -> None:
    scene = swinging()
    slide = scenes.joint("rail", "linear", "post", "arm", (-200, -200, 200), axis=(0, 0, 1))
    bounds = scenes.box((-1000, -1000, 50), (1000, 1000, 1000))
    refusal = refusal_of(scene.model_copy(update={"joints": (slide,), "bounds": bounds}))
    assert refusal.reason == "parts_lost"
    assert refusal.detail.startswith("arm leaves the bounds after ")


def with_loose_block(lift_mm: float, **payload: object) -> Scene:
    """Return the falling ball beside a loose block of the environment, so high above the floor."""
    block = scenes.solid("block", (100, 0, 20 + lift_mm), (40, 40, 40)).model_copy(update={"origin": "environment"})
    scene = falling(bodies=(*falling().bodies, block))
    return scene.model_copy(update={"payload": scene.payload.model_copy(update=payload)})


def test_loose_body_that_rests_is_sound_and_is_pushed_by_the_payload() -> None:
    assert "block moves" not in check_world(with_loose_block(0)).without_machine
    rolling = with_loose_block(0, start_mm=(-250, 0, 20.5), start_velocity_mm_s=(500.0, 0.0, 0.0))
    moved = re.search(r"block moves by up to ([\d.]+) mm", check_world(rolling).without_machine)
    assert moved is not None
    assert float(moved[1]) > 5


@pytest.mark.parametrize(
    "scene",
    [with_loose_block(3), with_loose_block(0, start_mm=(45, 0, 25), start_velocity_mm_s=(800.0, 0.0, 0.0))],
    ids=["falls", "hit"],
)
def test_loose_body_that_does_not_rest_at_first_is_refused(scene: Scene) -> None:
    refusal = refusal_of(scene)
    assert refusal.reason == "unstable"
    assert refusal.detail.startswith("block is loose and moves by ")
    assert "set it down" in refusal.detail


def test_loose_body_that_may_move_from_the_start_falls() -> None:
    scene = with_loose_block(30)
    moving = [body.model_copy(update={"is_moving": body.label == "block"}) for body in scene.bodies]
    checked = check_world(scene.model_copy(update={"bodies": tuple(moving)}))
    assert re.search(r"block moves by up to (29|30)\.\d mm", checked.without_machine)


def test_duration_of_days_is_refused_before_memory_is_taken() -> None:
    refusal = refusal_of(falling(duration_s=1e6))
    assert refusal.reason == "scene_invalid"
    assert "300 s" in refusal.detail


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", built_in())
def test_suite_world_needs_a_machine_and_is_checked_quickly(name: str) -> None:
    loaded = load(name, seed=crc32(name.encode()) % 16)
    files = build_from_script(loaded.environment_code.decode(), loaded.variant).files
    assert files is not None
    started = time.process_time()
    assert "missed the goal" in check_world(files.scene).without_machine
    assert time.process_time() - started < QUICK_S


async def answer(scene: Scene | None) -> WorldChecked | WorldRefused:
    """Return the handler's outcome for a built environment with this scene."""
    artifacts = FakeArtifacts()
    ref = None if scene is None else await artifacts.put(scene.model_dump_json().encode(), "application/json")
    built = EnvironmentBuilt(
        id=UUID(int=2),
        run_id=UUID(int=1),
        role="planner",
        producer="test",
        environment=values.ENVIRONMENT,
        scene=ref,
        build_s=0.1,
    )
    outcome = await check_environment(built, artifacts)
    assert (outcome.id, outcome.role) == (outcome_id(built.id), "planner")
    return outcome


async def test_handler_answers_a_sound_world_with_its_environment() -> None:
    outcome = await answer(falling())
    assert isinstance(outcome, WorldChecked)
    assert outcome.environment == values.ENVIRONMENT


async def test_handler_refuses_a_world_that_solves_itself() -> None:
    outcome = await answer(falling(goal_zone=scenes.box((-30, -30, 0), (30, 30, 30))))
    assert isinstance(outcome, WorldRefused)
    assert outcome.reason == "solves_itself"


async def test_handler_refuses_an_environment_without_a_scene() -> None:
    outcome = await answer(None)
    assert isinstance(outcome, WorldRefused)
    assert "older version" in outcome.detail
