"""Video and poster: what people look at first."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim_worker import stage
from sim_worker.camera import View, best_view
from sim_worker.canvas import Brush, Canvas, Picture
from sim_worker.encoding import mp4, png
from sim_worker.engine import mujoco
from sim_worker.modelling import World
from sim_worker.trajectory import Trajectory

REST_S = 0.7
"""How long the film stays on its end."""


@dataclass(frozen=True)
class Format:
    """How large and how fluent a film is."""

    width: int = 800
    height: int = 600
    pictures_per_s: int = 30


@dataclass(frozen=True)
class Film:
    """Files to look at."""

    video_mp4: bytes
    poster_png: bytes


class _Set:
    """A dressed model with its camera set up."""

    def __init__(self, world: World, trajectory: Trajectory, form: Format) -> None:
        self.world, self.trajectory, self.form = world, trajectory, form
        self.model = stage.dressed(world, form.width, form.height)
        self.data = mujoco.MjData(self.model)
        stage.pose(self.model, self.data, trajectory, 0)
        corners_m = stage.worth_seeing_m(world.scene, trajectory)
        self.view: View = best_view(self.model, self.data, corners_m, trajectory.place_m, form.width / form.height)

    def canvas(self, is_fine: bool) -> Canvas:
        return Canvas(self.model, self.form.width, self.form.height, is_fine)

    def picture(self, canvas: Canvas, sample: int, has_ghosts: bool = False) -> Picture:
        """Draw the world at a sample of the trajectory."""

        def decorate(brush: Brush) -> None:
            stage.draw_zones(brush, self.world.scene)
            stage.draw_trail(brush, self.trajectory, sample)
            if has_ghosts:
                stage.draw_ghosts(brush, self.model, self.trajectory)

        stage.pose(self.model, self.data, self.trajectory, sample)
        return canvas.draw(self.data, self.view, decorate)


def film(world: World, trajectory: Trajectory, form: Format) -> Film:
    """Draw the run as a video, and as one picture with the payload at several moments of its way."""
    scenery = _Set(world, trajectory, form)
    with scenery.canvas(is_fine=False) as canvas:
        video = mp4(_pictures(scenery, canvas), form.width, form.height, form.pictures_per_s)
    with scenery.canvas(is_fine=True) as canvas:
        poster = png(scenery.picture(canvas, len(trajectory.time_s) - 1, has_ghosts=True))
    return Film(video, poster)


def _pictures(scenery: _Set, canvas: Canvas) -> Iterator[Picture]:
    trajectory, form = scenery.trajectory, scenery.form
    moments = np.arange(0.0, trajectory.time_s[-1] + REST_S, 1 / form.pictures_per_s)
    for moment_s in moments:
        yield scenery.picture(canvas, trajectory.at(float(moment_s)))
