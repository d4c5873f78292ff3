"""Where scenes are tried. It blocks; call it in a thread."""

from dataclasses import dataclass

from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult

from sim_worker.judge.aggregation import weigh
from sim_worker.model import World, compile_scene
from sim_worker.run.runner import run_nominal, run_replicas
from sim_worker.run.trajectory import Trajectory


@dataclass(frozen=True)
class SimulationSettings:
    """How hard a scene is tried."""

    replicas: int
    """1: the nominal run alone. More: so many jittered repeats after it."""
    seed: int


@dataclass(frozen=True)
class SimulationRun:
    """A scene that was tried."""

    world: World
    trajectory: Trajectory
    result: SimulationResult


class Simulator:
    """Runs scenes in a number of threads."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def run(self, scene: Scene, trial: SimulationSettings) -> SimulationRun:
        """Simulate and judge; raise `SceneRejectedError` if the scene cannot be simulated."""
        world = compile_scene(scene)
        nominal = run_nominal(world)
        replicas = run_replicas(world, trial.replicas, trial.seed, self._threads) if trial.replicas > 1 else ()
        trajectory = Trajectory.of(nominal.readings, scene)
        return SimulationRun(world, trajectory, weigh(scene, nominal, replicas, trajectory))
