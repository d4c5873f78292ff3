"""Where scenes are tried and shown. Its methods block; call them in a thread."""

from dataclasses import dataclass
from threading import Lock

from contracts.rendering import Meshes, View
from contracts.scene import Scene
from contracts.simulation import SimulationResult

from sim_worker.canvas import Picture
from sim_worker.filming import Film, Format, film
from sim_worker.gltf import animated_glb
from sim_worker.modelling import World, compile_scene
from sim_worker.photographing import photograph
from sim_worker.running import run_nominal, run_replicas
from sim_worker.trajectory import Trajectory
from sim_worker.weighing import weigh


@dataclass(frozen=True)
class Trial:
    """How hard a scene is tried."""

    replicas: int
    """1: the nominal run alone. More: so many jittered repeats after it."""
    seed: int


@dataclass(frozen=True)
class Experiment:
    """A scene that was tried."""

    world: World
    trajectory: Trajectory
    result: SimulationResult


@dataclass(frozen=True)
class Shown:
    """Files that show an experiment."""

    film: Film
    glb: bytes
    trajectory_npz: bytes
    mjcf: bytes


class Laboratory:
    """Runs scenes in a number of threads, and draws one film at a time: OpenGL's display is one per process."""

    def __init__(self, threads: int, form: Format) -> None:
        self._threads = threads
        self._form = form
        self._drawing = Lock()

    def run(self, scene: Scene, trial: Trial) -> Experiment:
        """Simulate and judge; raise `SceneRejectedError` if the scene cannot be simulated."""
        world = compile_scene(scene)
        nominal = run_nominal(world)
        replicas = run_replicas(world, trial.replicas, trial.seed, self._threads) if trial.replicas > 1 else ()
        trajectory = Trajectory.of(nominal.readings)
        return Experiment(world, trajectory, weigh(scene, nominal, replicas, trajectory))

    def photograph(self, meshes: Meshes, views: tuple[View, ...], width: int, height: int) -> Picture:
        """Draw a sheet of views; raise `NotDrawableError`."""
        with self._drawing:
            return photograph(meshes, views, width, height)

    def show(self, experiment: Experiment) -> Shown:
        """Draw what people will look at."""
        world, trajectory = experiment.world, experiment.trajectory
        with self._drawing:
            drawn = film(world, trajectory, self._form)
        return Shown(drawn, animated_glb(world.scene, trajectory), trajectory.as_npz(), world.mjcf.encode())
