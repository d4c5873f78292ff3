"""A run on film, and in pictures of its moments."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from contracts.models.scene import Scene

from sim_worker.media import overlays
from sim_worker.media.camera import View, best_view
from sim_worker.media.canvas import Brush, Canvas, Picture
from sim_worker.media.display_model import pose, scenery
from sim_worker.media.encoders import mp4, png
from sim_worker.media.moments import Moment
from sim_worker.media.motion import Motion
from sim_worker.mujoco_api import mujoco

REST_S = 0.7
"""How long the film stays on its end."""
COLUMNS = 3
"""Of a contact sheet."""


@dataclass(frozen=True)
class Format:
    """How large and how fluent a film is."""

    width: int = 800
    height: int = 600
    pictures_per_s: int = 25


@dataclass(frozen=True)
class Still:
    """A picture of one moment."""

    time_s: float
    caption: str
    png: bytes


@dataclass(frozen=True)
class Stills:
    """Pictures of a run."""

    poster_png: bytes
    """The payload at several moments of its way, and all else at the end."""
    contact_sheet_png: bytes
    key_frames: tuple[Still, ...]


class Set:
    """A scene with its lights and its camera set up."""

    def __init__(self, scene: Scene, motion: Motion, form: Format) -> None:
        self._scene, self._motion, self._form = scene, motion, form
        outlines = overlays.Outlines(scene, motion)
        self._model = scenery(scene, motion, outlines.lowest_m, form.width, form.height)
        self._data = mujoco.MjData(self._model)
        pose(self._model, self._data, motion, 0)
        corners_m, way_m = outlines.worth_seeing_m(), motion.payload.place_m
        self._view: View = best_view(self._model, self._data, corners_m, way_m, form.width / form.height)

    def film(self) -> bytes:
        """Return the run as MP4."""
        form = self._form
        with self._canvas(is_fine=False) as canvas:
            return mp4(self._pictures(canvas), form.width, form.height, form.pictures_per_s)

    def stills(self, moments: Sequence[Moment]) -> Stills:
        """Return a poster, a picture of each moment, and a sheet of these."""
        with self._canvas(is_fine=True) as canvas:
            poster = self._picture(canvas, len(self._motion.time_s) - 1, has_ghosts=True)
            pictures = [self._picture(canvas, self._motion.at(each.time_s), each.lines) for each in moments]
        frames = [
            Still(moment.time_s, moment.caption, png(picture))
            for moment, picture in zip(moments, pictures, strict=True)
        ]
        return Stills(png(poster), png(contact_sheet(pictures)), tuple(frames))

    def _canvas(self, is_fine: bool) -> Canvas:
        return Canvas(self._model, self._form.width, self._form.height, is_fine, has_large_words=True)

    def _pictures(self, canvas: Canvas) -> Iterator[Picture]:
        time_s = self._motion.time_s
        for moment_s in np.arange(time_s[0], time_s[-1] + REST_S, 1 / self._form.pictures_per_s):
            yield self._picture(canvas, self._motion.at(float(moment_s)))

    def _picture(self, canvas: Canvas, sample: int, lines: Sequence[str] = (), has_ghosts: bool = False) -> Picture:
        """Draw the world at a sample of the motion."""

        def decorate(brush: Brush) -> None:
            overlays.draw_zones(brush, self._scene)
            overlays.draw_trail(brush, self._motion, sample)
            if has_ghosts:
                overlays.draw_ghosts(brush, self._model, self._motion)

        pose(self._model, self._data, self._motion, sample)
        return canvas.draw(self._data, self._view, decorate, "\n".join(lines))


def contact_sheet(pictures: Sequence[Picture]) -> Picture:
    """Return pictures in rows, each half as wide and high; what is left of the last row stays white."""
    small = [_halved(picture) for picture in pictures]
    columns = min(COLUMNS, len(small))
    small += [np.full_like(small[0], 255)] * (-len(small) % columns)
    rows = [np.concatenate(small[first : first + columns], axis=1) for first in range(0, len(small), columns)]
    sheet: Picture = np.concatenate(rows, axis=0)
    return sheet


def _halved(picture: Picture) -> Picture:
    """Return it with every four pixels made one. Width and height are even, as of a film."""
    height, width, channels = picture.shape
    quarters = picture.reshape(height // 2, 2, width // 2, 2, channels).astype(np.uint16)
    halved: Picture = ((quarters.sum(axis=(1, 3)) + 2) // 4).astype(np.uint8)
    return halved
