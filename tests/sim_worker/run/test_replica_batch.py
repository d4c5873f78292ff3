"""Replicas side by side: chunks and pieces of a run, what jitter changes in each, and where it stops."""

from dataclasses import replace

import numpy as np
import pytest
from contracts.models.benchmark import Payload
from sim_worker.model import World, compile_scene
from sim_worker.mujoco_api import mujoco
from sim_worker.run import replica_batch
from sim_worker.run.cancellation import Cancellation
from sim_worker.run.jitter import no_jitter, random_jitter
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import Chunk, ReplicaBatch
from sim_worker.simulator import run_batch
from sim_worker.units import Floats

from tests.sim_worker import machines, scenes
from tests.sim_worker.judge.synthetic_readings import still

FLOOR = scenes.block("floor", (0, 0, -25), (400, 400, 10), "environment")


def falling(payload: Payload | None = None, duration_s: float = 20.0) -> World:
    return compile_scene(scenes.empty_scene(payload or scenes.ball((0, 0, 0)), duration_s=duration_s))


def values(batch: ReplicaBatch, name: str) -> Floats:
    """Return (n, ...) values of the replicas' models."""
    return np.array(batch._batch.expand(name))  # pyright: ignore[reportPrivateUsage]


def test_chunks_grow_with_the_elapsed_time_between_two_bounds() -> None:
    world = falling()
    batch, elapsed_s = ReplicaBatch(world, no_jitter(), threads=1), 0.0
    for _ in range(24):
        ((chunk,),) = batch.advance([0])
        length_s = len(chunk.readings.time_s) * world.step_s
        assert chunk.readings.time_s[0] == pytest.approx(elapsed_s)
        assert length_s == pytest.approx(min(max(0.25, elapsed_s / 8), 1.0), abs=world.step_s)
        elapsed_s += length_s
    assert elapsed_s > 9.0


@pytest.mark.parametrize(("rows", "groups"), [(500, [2, 2, 1]), (749, [2, 2, 1]), (750, [3, 2]), (1, [1] * 5)])
def test_as_many_replicas_are_recorded_at_once_as_fit(
    rows: int, groups: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    world = falling()
    monkeypatch.setattr(replica_batch, "MAX_RECORDED_NUMBERS", rows * world.model.nsensordata)
    batch = ReplicaBatch(world, random_jitter(5, seed=1), threads=1)
    assert world.step_s == 0.001
    found = list(batch.advance([0, 1, 2, 3, 4]))
    assert [len(chunks) for chunks in found] == groups
    assert [chunk.replica for chunks in found for chunk in chunks] == [0, 1, 2, 3, 4]


class CountedLooks(Cancellation):
    """Counts how often a cancellation is looked for."""

    looks = 0

    def check(self) -> None:
        self.looks += 1
        super().check()


@pytest.mark.parametrize(
    ("work", "looks"), [(400_000, 1), (2 * 6 * 250, 1), (2 * 6 * 249, 2), (2 * 6 * 10, 25), (1, 250)]
)
def test_cancellation_is_looked_for_between_pieces(work: int, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two replicas of six degrees of freedom and 250 steps."""
    monkeypatch.setattr(replica_batch, "MAX_PIECE_WORK", work)
    cancellation = CountedLooks()
    batch = ReplicaBatch(falling(), random_jitter(2, seed=1), 1, cancellation)
    (chunks,) = batch.advance([0, 1])
    assert cancellation.looks == looks
    assert [len(chunk.readings.time_s) for chunk in chunks] == [250, 250]


def stopped(rows: Floats, *, has_risen: bool = True) -> Chunk:
    """Return the chunk of readings at which the simulator gave the first of its warnings."""
    readings = still(len(rows) * 0.01)
    kinds = np.zeros(mujoco.mjtWarning.mjNWARNING.value, dtype=np.bool_)
    kinds[mujoco.mjtWarning.mjWARN_BADQACC.value] = has_risen
    return replica_batch._chunk(7, Readings(readings.time_s, rows, readings.layout), kinds)  # pyright: ignore[reportPrivateUsage]


def test_chunk_ends_at_the_last_row_before_its_copies() -> None:
    rows = np.arange(20.0)[:, None] * np.ones(44)
    rows[12:] = rows[12]
    chunk = stopped(rows)
    assert (chunk.replica, chunk.warnings, chunk.is_diverged) == (7, ("mjWARN_BADQACC",), True)
    assert len(chunk.readings.time_s) == 13
    assert len(stopped(rows[12:]).readings.time_s) == 1, "it stopped at once"
    going = stopped(rows, has_risen=False)
    assert (len(going.readings.time_s), going.warnings, going.is_diverged) == (20, (), False)


def test_warnings_are_those_of_this_chunk_and_replica() -> None:
    batch = ReplicaBatch(falling(), random_jitter(2, seed=1), threads=1)
    batch._batch.bind("qvel")[1, 0] = 1e12  # pyright: ignore[reportPrivateUsage]
    (first,) = batch.advance([0, 1])
    assert [chunk.is_diverged for chunk in first] == [False, True]
    (second,) = batch.advance([0])
    assert [chunk.warnings for chunk in second] == [()]


def test_friction_of_every_contact_varies_with_its_replica() -> None:
    """Of sliding, along both directions; not of rolling and spinning."""
    blue = scenes.ball((100, 0, 0)).model_copy(update={"label": "blue", "restitution": 0.5})
    floor = FLOOR.model_copy(update={"restitution": 0.9})
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(floor,), more_payloads=(blue,)))
    jitter = replace(random_jitter(2, 1, payloads=2), friction_factor=np.array([0.5, 3.0]))
    plain, found = (
        ReplicaBatch(world, each, threads=1) for each in (replace(jitter, friction_factor=np.ones(2)), jitter)
    )
    for name, sliding in (("geom_friction", 1), ("pair_friction", 2)):
        before, after = values(plain, name), values(found, name)
        assert after.shape[1] > 0
        factors = np.array([0.5, 3.0])[:, None, None]
        np.testing.assert_allclose(after[..., :sliding], factors * before[..., :sliding])
        np.testing.assert_allclose(after[..., sliding:], before[..., sliding:])


def test_mass_and_inertia_vary_together_and_each_part_for_itself() -> None:
    world = compile_scene(machines.sweeper())
    plain = no_jitter(parts=1, motors=1)
    jitter = replace(plain, mass_factor=np.array([2.0]), part_mass_factor=np.array([[3.0]]))
    before, after = ReplicaBatch(world, plain, threads=1), ReplicaBatch(world, jitter, threads=1)
    names = [world.model.body(index).name for index in range(world.model.nbody)]
    expected = np.array([{"payload": 2.0, "design:arm": 3.0}.get(name, 1.0) for name in names])
    assert sorted(set(expected)) == [1.0, 2.0, 3.0]
    for name in ("body_mass", "body_inertia"):
        ones = values(before, name)[0]
        np.testing.assert_allclose(values(after, name)[0], (ones.T * expected).T)


TURNED = (0.5, 0.1, -0.7, 0.5)


def rotated(quaternion: Floats, vector: Floats) -> Floats:
    found = np.zeros(3)
    mujoco.mju_rotVecQuat(found, vector, quaternion)
    return found


def test_yaw_turns_a_turned_payload_about_the_vertical() -> None:
    length = float(np.linalg.norm(TURNED))
    start = tuple(each / length for each in TURNED)
    payload = machines.cube((0, 0, 0)).model_copy(update={"start_quaternion": start})
    jitter = replace(no_jitter(), yaw_rad=np.array([0.3]))
    batch = ReplicaBatch(falling(payload), jitter, threads=1)
    ((chunk,),) = batch.advance([0])
    c, s = np.cos(0.3), np.sin(0.3)
    about_z = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    for axis in np.eye(3):
        turned = rotated(np.array(chunk.readings.quaternion[0]), axis)
        np.testing.assert_allclose(turned, about_z @ rotated(np.array(start), axis), atol=1e-9)


def test_every_replica_starts_with_the_velocity_of_the_payload() -> None:
    payload = scenes.ball((0, 0, 0)).model_copy(update={"start_velocity_mm_s": (300.0, -200.0, 100.0)})
    batch = ReplicaBatch(falling(payload), random_jitter(2, seed=1), threads=1)
    (chunks,) = batch.advance([0, 1])
    for chunk in chunks:
        velocity = chunk.readings.rows[0, chunk.readings.layout.velocity]
        np.testing.assert_allclose(velocity, (0.3, -0.2, 0.1), atol=1e-9)


@pytest.mark.parametrize(
    ("gap_mm", "share"), [(5.0, 1.0), (2.45, 0.5), (0.57, 0.125), (0.25, 0.0625), (0.15, 0.03125), (0.02, 0.0)]
)
def test_displacement_is_halved_five_times_at_most(gap_mm: float, share: float) -> None:
    """Of 5 mm towards a wall; a tenth of a millimetre counts as touching."""
    wall = scenes.block("wall", (20 + gap_mm + 5, 0, 10), (10, 100, 60), "environment")
    world = compile_scene(scenes.empty_scene(scenes.ball((0, 0, 0)), bodies=(FLOOR, wall), duration_s=0.1))
    jitter = replace(no_jitter(), start_m=np.array([[0.005, 0.0, 0.0]]))
    batch = ReplicaBatch(world, jitter, threads=1)
    assert batch.start_shares == pytest.approx([share])
    (result,) = run_batch(world, batch)
    assert result.jitter_share == share
