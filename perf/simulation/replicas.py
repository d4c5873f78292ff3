"""Times of jittered replicas in one batch and one after the other."""

from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

from contracts.models.scene import Scene
from contracts.models.simulation import ReplicaResult
from sim_worker.model import World, compile_scene
from sim_worker.run.jitter import Jitter, random_jitter
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.simulator import run_batch, run_replicas

SEED = 7


@dataclass(frozen=True)
class Replicas:
    """Seconds of wall time, one value per repetition."""

    batched_s: dict[int, list[float]]
    """By number of threads."""
    one_by_one_s: list[float]
    simulated_s: float
    """Simulated time of all replicas together."""

    def gain(self, threads: int) -> float:
        """Return the median factor by which the batch is faster."""
        pairs = zip(self.one_by_one_s, self.batched_s[threads], strict=True)
        return median(alone / batched for alone, batched in pairs)


def replicas(scene: Scene, count: int, repetitions: int) -> Replicas:
    """Run the same replicas with one thread, with two, and one by one, in turns; results must be equal."""
    world = compile_scene(scene)
    batched: dict[int, list[float]] = {1: [], 2: []}
    alone: list[float] = []
    results: tuple[ReplicaResult, ...] = ()
    for _ in range(repetitions):
        for threads, seconds in batched.items():
            start = perf_counter()
            results = run_replicas(world, count, SEED, threads)
            seconds.append(perf_counter() - start)
        start = perf_counter()
        assert _one_by_one(world, count) == results
        alone.append(perf_counter() - start)
    return Replicas(batched, alone, sum(result.time_s for result in results))


def _one_by_one(world: World, count: int) -> tuple[ReplicaResult, ...]:
    jitter = random_jitter(count, SEED, len(world.layout.moving), len(world.scene.drives))
    return tuple(run_batch(world, ReplicaBatch(world, _only(jitter, index), threads=1))[0] for index in range(count))


def _only(jitter: Jitter, index: int) -> Jitter:
    one = slice(index, index + 1)
    return replace(
        jitter,
        start_m=jitter.start_m[one],
        yaw_rad=jitter.yaw_rad[one],
        friction_factor=jitter.friction_factor[one],
        mass_factor=jitter.mass_factor[one],
        part_mass_factor=jitter.part_mass_factor[one],
        motor_factor=jitter.motor_factor[one],
    )
