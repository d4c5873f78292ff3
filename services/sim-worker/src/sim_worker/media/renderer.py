"""Rendering of simulations and geometry. Its methods block; call them in a thread."""

from dataclasses import dataclass
from threading import Lock

from contracts.events.rendering import Meshes, View

from sim_worker.media.animated_glb import animated_glb
from sim_worker.media.canvas import Picture
from sim_worker.media.display_model import pictured
from sim_worker.media.drawings.run_views import RunViews, RunViewSheet
from sim_worker.media.film import Film, SceneRenderer, Stills, VideoFormat
from sim_worker.media.moments import key_moments
from sim_worker.media.motion import Motion, Window
from sim_worker.media.view_sheet import draw_view_sheet
from sim_worker.run.cancellation import Cancellation
from sim_worker.simulator import SimulationRecord


@dataclass(frozen=True)
class SimulationMedia:
    """Files that show a simulation."""

    film: Film
    stills: Stills
    views: RunViews
    glb: bytes
    trajectory_npz: bytes
    mjcf: bytes
    """A zip."""


class MediaRenderer:
    """Renders one thing at a time, because a process has one OpenGL display."""

    def __init__(self, video_format: VideoFormat) -> None:
        self._format = video_format
        self._display = Lock()

    def render_views(self, meshes: Meshes, views: tuple[View, ...], width: int, height: int) -> Picture:
        """Draw a sheet of views; raise `NotDrawableError`."""
        with self._display:
            return draw_view_sheet(meshes, views, width, height)

    def render_simulation(
        self, simulation: SimulationRecord, window_s: Window | None = None, cancellation: Cancellation | None = None
    ) -> SimulationMedia:
        """Render a simulation, or a window of it; raise `NothingToFilmError` if the window is empty.

        Raises `SimulationCancelledError` before the next picture after a cancellation.
        """
        scene, trajectory = pictured(simulation.world.scene), simulation.trajectory
        motion = Motion.of(trajectory, window_s)
        moments = key_moments(simulation.result.events, float(motion.time_s[0]), float(motion.time_s[-1]))
        with self._display:
            renderer = SceneRenderer(scene, motion, self._format, cancellation)
            film, stills = renderer.film(moments), renderer.stills(moments)
            views = RunViewSheet(scene, motion).draw()
        glb = animated_glb(scene, motion)
        return SimulationMedia(film, stills, views, glb, trajectory.as_npz(), simulation.world.bundle())
