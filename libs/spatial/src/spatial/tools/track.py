"""`tools.Track`: where points of one frame are in others, and the optical flow between two frames."""

from collections.abc import Iterable, Sequence

import numpy as np
from contracts.events.perception import (
    MAX_RECONSTRUCTED_FRAMES,
    MAX_TRACKED_POINTS,
    PixelPoint,
    Tracked,
    TrackPoints,
)

from spatial.frames import InputImages
from spatial.port import Perception
from spatial.tools.frame_choice import FrameChoice
from spatial.tools.tracks import Tracks

SMALLEST_STEP_PX = 8


class TrackTool:
    """Where pixels go. `tracks = tools.Track.points([(120, 80), (200, 90)])` follows points (u, v) of the first frame,
    or of prompt_frame_idx, through up to 64 frame_indices: tracks[frame_index] is (k, 2) px, NaN where hidden or lost.
    flow(image, other): the same of a grid of pixels between two frames; tracks.shift(first, second) is optical flow.
    """

    def __init__(self, perception: Perception, frames: FrameChoice) -> None:
        self._perception, self._frames = perception, frames

    def points(
        self,
        points: Sequence[PixelPoint],
        frame_indices: Iterable[int] | None = None,
        prompt_frame_idx: int | None = None,
    ) -> Tracks:
        """Follow points (u, v) of one frame through others, by default through all; raise if perception cannot."""
        frames = self._frames.many(None, frame_indices, MAX_RECONSTRUCTED_FRAMES)
        first = frames.frame_indices[0] if prompt_frame_idx is None else frames.at(prompt_frame_idx).frame_index
        return self._tracked(frames, _pairs(points), first)

    def flow(self, image: object, other: object, step_px: int | None = None) -> Tracks:
        """Follow a pixel of each square of `step_px` from one frame to another; by default about 2000 of them."""
        one, another = self._frames.one(image), self._frames.one(other)
        if one.frame_index == another.frame_index:
            raise ValueError(f"flow is between two frames, both are {one.frame_index}")
        least = max(SMALLEST_STEP_PX, int(np.ceil(np.sqrt(one.width * one.height / MAX_TRACKED_POINTS))))
        step = max(least, step_px or least)
        u, v = np.meshgrid(np.arange(step // 2, one.width, step), np.arange(step // 2, one.height, step))
        points = [(float(x), float(y)) for x, y in zip(u.ravel(), v.ravel(), strict=True)]
        frames = InputImages(sorted((one, another), key=lambda each: each.frame_index))
        return self._tracked(frames, points[:MAX_TRACKED_POINTS], one.frame_index)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""

    def _tracked(self, frames: InputImages, points: Sequence[PixelPoint], first: int) -> Tracks:
        reply = self._perception(
            TrackPoints(
                kind="track_points",
                frames=tuple(image.ref for image in frames),
                points=tuple(points),
                prompt_frame_index=first,
            )
        )
        if not isinstance(reply.result, Tracked):
            raise TypeError(f"tracks were requested, the answer is {reply.result.kind}")
        return Tracks.of(reply.result, reply.arrays_npz)


def _pairs(points: Sequence[PixelPoint]) -> list[PixelPoint]:
    pairs = np.atleast_2d(np.asarray(points, np.float64))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not 0 < len(pairs) <= MAX_TRACKED_POINTS:
        raise ValueError(f"points are 1 to {MAX_TRACKED_POINTS} pixels [(u, v), ...], got an array {pairs.shape}")
    return [(float(u), float(v)) for u, v in pairs]
