"""Video and still pictures of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from contracts.models.scene import Scene

from sim_worker.media import overlays
from sim_worker.media.camera import CameraView, SceneExtents, best_view, closest_view, view_of_moment
from sim_worker.media.canvas import AVERAGED, FINE, PLAIN, Brush, Canvas, Picture, Quality, Shift
from sim_worker.media.display_model import build_display_model, set_pose, wide_sun, without_moving
from sim_worker.media.drawings.backdrop import Backdrop, mean_of
from sim_worker.media.drawings.captions import with_captions
from sim_worker.media.drawings.dimensions import DimensionLine, dimension_lines, with_dimensions
from sim_worker.media.drawings.film_captions import FilmCaptions
from sim_worker.media.images import Clip, halved, mp4, png, tiled
from sim_worker.media.moments import Moment
from sim_worker.media.motion import Motion
from sim_worker.mujoco_api import mujoco
from sim_worker.run.cancellation import Cancellation
from sim_worker.units import Floats

FINAL_HOLD_S = 0.7
"""How long a video shows its last picture."""
SUNS = 12
"""Over which the shadows of a poster are averaged."""
BACKDROP_SUNS = 6
"""Over which the shadows and edges of what never moves in a film are averaged."""
SHIFT_PX = 0.6
"""At most, of one of these pictures."""
CONTACT_SHEET_COLUMNS = 3
TEXT_SHARE, SHEET_TEXT_SHARE = 1 / 38, 1 / 27
"""Size of a caption's letters over the width of its picture, and of one on the contact sheet."""
SHEET_SHOWS = (
    "Key frames in perspective, from left to right and row by row; time and events are below each. Orange: payload and "
    "its path so far. Green: goal zone. Red: forbid zones. Pale blue edges: build zone."
)
OTHER_SIDE = "seen from another side, which shows the payload"


@dataclass(frozen=True)
class VideoFormat:
    """Size and frame rate of a video."""

    width: int = 800
    height: int = 600
    pictures_per_s: int = 25


@dataclass(frozen=True)
class Film:
    """A run in motion, with captions."""

    video_mp4: bytes
    clip_webp: bytes
    """For sharing: smaller, and at most 2 MB."""


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
    """The final state with soft shadows, the payload at several earlier poses, and the machine's dimensions."""
    contact_sheet_png: bytes
    key_frames: tuple[Still, ...]


class SceneRenderer:
    """Renders one run of a scene, from one camera view."""

    def __init__(
        self, scene: Scene, motion: Motion, video_format: VideoFormat, cancellation: Cancellation | None = None
    ) -> None:
        self._cancellation = cancellation or Cancellation()
        self._scene, self._motion, self._format = scene, motion, video_format
        width, height = video_format.width, video_format.height
        extents = SceneExtents(scene, motion)
        self._model = build_display_model(scene, motion, extents.lowest_m, width, height)
        self._data = mujoco.MjData(self._model)
        set_pose(self._model, self._data, motion, 0)
        path_m = motion.payload.position_m
        self._corners_m, self._machine_m = extents.corners_m(), extents.machine_m()
        self._view: CameraView = best_view(self._model, self._data, self._corners_m, path_m, width / height)

    def film(self, moments: Sequence[Moment]) -> Film:
        """Return the run as MP4, with its time and the latest moment below each picture, and as a clip."""
        form, times_s = self._format, self._frame_times_s()
        captions = FilmCaptions(moments, float(times_s[0]), float(self._motion.time_s[-1]), form.width)
        clip, soft = Clip(len(times_s), form.pictures_per_s), self._soft_backdrop()
        with self._canvas(PLAIN) as canvas:
            drawn = self._frames(canvas, times_s, Backdrop(self._unmoved(canvas), soft))
            shown = (
                captions.below(picture, frame_s) for picture, frame_s in zip(drawn, map(float, times_s), strict=True)
            )
            pictures = clip.passing(shown)
            video = mp4(pictures, form.width, form.height + captions.height_px, form.pictures_per_s)
        return Film(video, clip.webp())

    def first_picture(self) -> Picture:
        """Return the picture of the release."""
        with self._canvas(FINE) as canvas:
            return self._picture(canvas, 0)

    def stills(self, moments: Sequence[Moment]) -> Stills:
        """Return a poster, a picture of each moment, and a contact sheet of these."""
        with self._canvas(FINE) as canvas:
            poster = self._poster(canvas)
            drawn = [self._moment(canvas, moment) for moment in moments]
        pictures, captions = [picture for picture, _ in drawn], [lines for _, lines in drawn]
        width = self._format.width
        large = with_captions(pictures, captions, round(TEXT_SHARE * width))
        small = with_captions([halved(each) for each in pictures], captions, round(SHEET_TEXT_SHARE * width / 2))
        frames = [
            Still(moment.time_s, moment.caption, png(picture)) for moment, picture in zip(moments, large, strict=True)
        ]
        return Stills(png(poster), png(tiled(small, CONTACT_SHEET_COLUMNS)), tuple(frames))

    def _moment(self, canvas: Canvas, moment: Moment) -> tuple[Picture, tuple[str, ...]]:
        """Return the picture of a moment from where the payload is seen, and its caption in lines."""
        sample = self._motion.sample_at(moment.time_s)
        set_pose(self._model, self._data, self._motion, sample)
        aspect = self._format.width / self._format.height
        view = view_of_moment(self._model, self._data, self._view, self._corners_m, aspect)
        lines = moment.lines if view is self._view else (*moment.lines, OTHER_SIDE)
        return self._picture(canvas, sample, view=view), lines

    def _canvas(self, quality: Quality) -> Canvas:
        return Canvas(self._model, self._format.width, self._format.height, quality)

    def _frame_times_s(self) -> Floats:
        time_s = self._motion.time_s
        return np.arange(time_s[0], time_s[-1] + FINAL_HOLD_S, 1 / self._format.pictures_per_s)

    def _frames(self, canvas: Canvas, times_s: Floats, backdrop: Backdrop) -> Iterator[Picture]:
        """Yield the film's pictures; one in which nothing has moved is the one before."""
        latest: tuple[int, Picture] | None = None
        for sample in map(self._motion.sample_at, map(float, times_s)):
            if latest is None or not self._motion.is_still_between(latest[0], sample):
                latest = (sample, backdrop.under(self._picture(canvas, sample)))
            yield latest[1]

    def _soft_backdrop(self) -> Picture:
        """Draw what never moves under several suns, each from a slightly other place: soft shadows, smooth edges."""
        with self._canvas(AVERAGED) as canvas:
            suns = wide_sun(self._model, BACKDROP_SUNS)
            return mean_of(self._unmoved(canvas, (x * SHIFT_PX, y * SHIFT_PX)) for x, y in suns)

    def _unmoved(self, canvas: Canvas, shift_px: Shift = (0.0, 0.0)) -> Picture:
        """Draw what never moves, from the view of the whole run."""
        self._cancellation.check()
        set_pose(self._model, self._data, self._motion, 0)
        with without_moving(self._model):
            zones = partial(overlays.draw_zones, scene=self._scene)
            return canvas.draw(self._data, self._view, zones, shift_px=shift_px)

    def _poster(self, canvas: Canvas) -> Picture:
        """Draw the end under several suns, which together cast soft shadows, with the machine's dimensions."""
        lines = [] if self._machine_m is None else dimension_lines(self._machine_m, self._view)
        view, last = self._view_with(lines), len(self._motion.time_s) - 1

        def decorate(brush: Brush) -> None:
            self._decorate(brush, last)
            overlays.draw_ghosts(brush, self._model, self._motion)

        def under_suns() -> Iterator[Picture]:
            for _ in wide_sun(self._model, SUNS):
                self._cancellation.check()
                set_pose(self._model, self._data, self._motion, last)
                yield canvas.draw(self._data, view, decorate)

        return with_dimensions(mean_of(under_suns()), lines, view)

    def _view_with(self, lines: Sequence[DimensionLine]) -> CameraView:
        """Return the view of the whole run from so far away that it shows these lines, too."""
        ends_m = [end_m for line in lines for end_m in (line.start_m, line.end_m)]
        corners_m = np.concatenate([self._corners_m, *(end_m[np.newaxis] for end_m in ends_m)])
        view = self._view
        return closest_view(corners_m, view.azimuth_deg, view.elevation_deg, self._format.width / self._format.height)

    def _picture(self, canvas: Canvas, sample: int, view: CameraView | None = None) -> Picture:
        """Draw the world at a sample of the motion, from the view of the whole run or another."""
        self._cancellation.check()
        set_pose(self._model, self._data, self._motion, sample)
        return canvas.draw(self._data, view or self._view, lambda brush: self._decorate(brush, sample))

    def _decorate(self, brush: Brush, sample: int) -> None:
        overlays.draw_zones(brush, self._scene)
        overlays.draw_trail(brush, self._motion, sample)
