"""Step rates of our loop, with zones, loads, contact log, verdict and hash, and of MuJoCo with the bare world."""

from dataclasses import dataclass
from statistics import median
from time import process_time

from contracts.models.scene import Scene
from sim_worker.model import World, compile_scene
from sim_worker.mujoco_api import MjModel, mujoco
from sim_worker.run.trajectory import Trajectory
from sim_worker.simulator import run_nominal

CHUNK = 250


@dataclass(frozen=True)
class StepRates:
    """Steps per second of CPU time, one value per repetition."""

    ours: list[float]
    bare: list[float]
    """The same steps of the world without sensors and zones, in C."""
    geoms: int
    steps: int

    @property
    def shares(self) -> list[float]:
        """Our rate divided by the bare rate of the same repetition."""
        return [ours / bare for ours, bare in zip(self.ours, self.bare, strict=True)]

    @property
    def share(self) -> float:
        """Median of the shares, because the machine may have other load."""
        return median(self.shares)


def step_rates(scene: Scene, repetitions: int) -> StepRates:
    """Run a scene with our loop and bare, in turns."""
    world = compile_scene(scene)
    bare_model = _without_sensors(world)
    ours: list[float] = []
    bare: list[float] = []
    steps = 0
    for _ in range(repetitions):
        steps, seconds = _our_run(world)
        ours.append(steps / seconds)
        bare.append(steps / _bare_run(bare_model, steps))
    return StepRates(ours, bare, int(world.model.ngeom), steps)


def _our_run(world: World) -> tuple[int, float]:
    start = process_time()
    run = run_nominal(world)
    digest = Trajectory.of(run.readings, world.scene).digest
    assert len(digest) == 64
    return len(run.readings.time_s), process_time() - start


def _bare_run(model: MjModel, steps: int) -> float:
    data = mujoco.MjData(model)
    start = process_time()
    for _ in range(steps // CHUNK):
        mujoco.mj_step(model, data, CHUNK)
    return process_time() - start


def _without_sensors(world: World) -> MjModel:
    """Return the model without sensors and zones."""
    spec = mujoco.MjSpec.from_string(world.mjcf, assets=world.files)
    for sensor in list(spec.sensors):
        spec.delete(sensor)
    for geom in list(spec.worldbody.geoms):
        if geom.contype == 0 and geom.conaffinity == 0:
            spec.delete(geom)
    return spec.compile()
