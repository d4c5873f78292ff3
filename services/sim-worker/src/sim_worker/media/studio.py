"""Where what was tried is shown. Its methods block; call them in a thread."""

from dataclasses import dataclass
from threading import Lock

from contracts.events.rendering import Meshes, View

from sim_worker.media.animated_glb import animated_glb
from sim_worker.media.canvas import Picture
from sim_worker.media.film import Format, Set, Stills
from sim_worker.media.moments import moments
from sim_worker.media.motion import Motion, Window
from sim_worker.media.view_sheet import photograph
from sim_worker.simulator import SimulationRun


@dataclass(frozen=True)
class Shown:
    """Files that show an experiment."""

    video_mp4: bytes
    stills: Stills
    glb: bytes
    trajectory_npz: bytes
    mjcf: bytes
    """A zip."""


class Studio:
    """Draws one thing at a time: OpenGL's display is one per process."""

    def __init__(self, form: Format) -> None:
        self._form = form
        self._drawing = Lock()

    def photograph(self, meshes: Meshes, views: tuple[View, ...], width: int, height: int) -> Picture:
        """Draw a sheet of views; raise `NotDrawableError`."""
        with self._drawing:
            return photograph(meshes, views, width, height)

    def show(self, experiment: SimulationRun, window_s: Window | None = None) -> Shown:
        """Draw what people will look at; raise `NothingToFilmError` if nothing was simulated in the window."""
        scene, trajectory = experiment.world.scene, experiment.trajectory
        motion = Motion.of(trajectory, window_s)
        chosen = moments(experiment.result.events, float(motion.time_s[0]), float(motion.time_s[-1]))
        with self._drawing:
            drawn = Set(scene, motion, self._form)
            video, stills = drawn.film(), drawn.stills(chosen)
        glb = animated_glb(scene, motion)
        return Shown(video, stills, glb, trajectory.as_npz(), experiment.world.bundle())
