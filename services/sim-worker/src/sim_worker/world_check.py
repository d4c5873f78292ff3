"""The check of a world: it is simulated without a machine before any role sees it. It blocks; call it in a thread."""

from dataclasses import dataclass

import numpy as np
from contracts.events.run import WorldRefusalReason
from contracts.models.scene import Scene
from contracts.models.simulation import Ending, ReplicaResult

from sim_worker.judge.failure_text import format_point
from sim_worker.model import World, compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.names import free_name
from sim_worker.rejection import SceneRejectedError
from sim_worker.report.summary import ENDING_TEXTS
from sim_worker.run.cancellation import Cancellation
from sim_worker.run.jitter import no_jitter
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.run.trajectory import Trajectory
from sim_worker.simulator import run_nominal
from sim_worker.units import Floats, metres_each, millimetres_each, vector_mm

UNSTABLE: tuple[Ending, ...] = ("diverged", "numerical")
"""Endings that are faults of the environment: without a machine nothing is rated."""
MOTION_S = 2.0
"""How long moving parts of the environment are watched, whatever the payload does."""
SETTLED_MM = 0.1
"""A part that moves by less stays where it was drawn."""
REST_S = 0.5
"""How long a loose body must rest at first: one that falls or tips is found by then."""
RESTING_MM = 1.0
"""How far it may settle meanwhile."""


@dataclass(frozen=True)
class CheckedWorld:
    """A world as it runs without a machine."""

    world: World
    trajectory: Trajectory
    without_machine: str
    """What happens to the payload, and how far parts of the environment move, in one sentence."""


class WorldRefusedError(Exception):
    """No run makes sense in the world; reason and detail are those of `WorldRefused`."""

    def __init__(self, reason: WorldRefusalReason, detail: str, simulated: CheckedWorld | None = None) -> None:
        super().__init__(detail)
        self.reason: WorldRefusalReason = reason
        self.detail = detail
        self.simulated = simulated
        """The world, if it could be simulated."""


def check_world(scene: Scene, cancellation: Cancellation | None = None) -> CheckedWorld:
    """Simulate environment and payload alone; raise `WorldRefusedError` if no run makes sense in them.

    Only the nominal run counts, as for the verdict on a design: a machine is needed where the payload reaches the goal
    in some jittered replicas only.
    """
    try:
        return check_compiled(compile_scene(scene), cancellation)
    except SceneRejectedError as rejection:
        raise WorldRefusedError(rejection.reason, rejection.detail) from rejection


def check_compiled(world: World, cancellation: Cancellation | None = None) -> CheckedWorld:
    """Check a compiled world; raise as `check_world` does, or `SceneRejectedError` if bodies overlap at the start."""
    nominal = run_nominal(world, cancellation=cancellation)
    moved = _moved_parts(world, cancellation)
    sentence = "; ".join((_outcome(nominal.result), *(f"{label} moves by up to {by:.1f} mm" for label, by in moved)))
    checked = CheckedWorld(world, Trajectory.of(nominal.readings, world.scene), sentence)
    _require_need_for_machine(checked, nominal.result)
    return checked


def _require_need_for_machine(checked: CheckedWorld, result: ReplicaResult) -> None:
    if result.ending == "reached_goal":
        scene = checked.world.scene
        is_all = bool(scene.more_payloads) and scene.must_arrive == "all"
        reaches = f"all {len(scene.payloads)} payloads reach" if is_all else f"{_name(result)} reaches"
        raise WorldRefusedError(
            "solves_itself",
            f"without a machine {reaches} the goal by itself after {result.time_s:.2f} s, at "
            f"{format_point(result.final_mm)}; move the start or the goal zone, or put something between them",
            checked,
        )
    if result.ending in UNSTABLE:
        detail = f"without a machine, after {result.time_s:.2f} s, {result.cause}; look for parts forced together"
        raise WorldRefusedError("unstable", detail, checked)


def _moved_parts(world: World, cancellation: Cancellation | None) -> list[tuple[str, float]]:
    """Return the moving parts of the environment, and how many millimetres their centres move by within `MOTION_S`.

    They are watched on even when the payload's fate is decided. Raises `WorldRefusedError` for parts that do not stay
    within the bounds.
    """
    labels = world.layout.moving
    if not labels:
        return []
    jitter = no_jitter(len(labels), len(world.scene.drives), len(world.scene.payloads))
    batch = ReplicaBatch(world, jitter, threads=1, cancellation=cancellation)
    chunks: list[Readings] = []
    while batch.steps_done * world.step_s < min(MOTION_S, world.scene.duration_s):
        ((chunk,),) = batch.advance([0])
        if chunk.warnings:
            detail = f"the simulator gave up: {', '.join(chunk.warnings)}; look for parts that are forced together"
            raise WorldRefusedError("unstable", detail)
        _require_within_bounds(world, chunk.readings)
        chunks.append(chunk.readings)
    readings = Readings.joined(chunks)
    _require_rest(world, readings)
    position_m = readings.moving_position_m
    moved_mm: Floats = millimetres_each(np.linalg.norm(position_m - position_m[0], axis=2).max(axis=0))
    return [(label, by) for label, by in zip(labels, map(float, moved_mm), strict=True) if by > SETTLED_MM]


def _require_within_bounds(world: World, readings: Readings) -> None:
    bounds, position_m = world.scene.bounds, readings.moving_position_m
    low_m, high_m = (np.array(metres_each(end)) for end in (bounds.min_mm, bounds.max_mm))
    outside = ((position_m < low_m) | (position_m > high_m)).any(axis=2)
    if outside.any():
        step, part = (int(each) for each in np.argwhere(outside)[0])
        label, point = world.layout.moving[part], format_point(vector_mm(position_m[step, part]))
        time_s = float(readings.time_s[step])
        detail = f"{label} leaves the bounds after {time_s:.2f} s, at {point}; hold it, or widen the bounds"
        raise WorldRefusedError("parts_lost", detail)


def _require_rest(world: World, readings: Readings) -> None:
    """Raise `WorldRefusedError` for a loose body that does not lie where it was drawn, unless it may move at once."""
    at_once = {body.label for body in world.scene.bodies if body.is_moving}
    position_m = readings.moving_position_m[readings.time_s <= REST_S]
    moved_mm: Floats = millimetres_each(np.linalg.norm(position_m - position_m[0], axis=2).max(axis=0))
    for label, by in zip(world.layout.moving, map(float, moved_mm), strict=True):
        is_free = mujoco.mj_name2id(world.model, mujoco.mjtObj.mjOBJ_JOINT, free_name(label)) >= 0
        if is_free and by > RESTING_MM and label not in at_once:
            detail = (
                f"{label} is loose and moves by {by:.1f} mm in the first {REST_S:g} s; set it down on what carries it, "
                'and keep payload and moving parts away from it for that long, or add "moving": True to its metadata'
            )
            raise WorldRefusedError("unstable", detail)


def _name(result: ReplicaResult) -> str:
    return f"the payload {result.payload}" if result.payload else "the payload"


def _outcome(result: ReplicaResult) -> str:
    return (
        f"without a machine {_name(result)} {ENDING_TEXTS[result.ending]} after {result.time_s:.2f} s: {result.cause}"
    )
