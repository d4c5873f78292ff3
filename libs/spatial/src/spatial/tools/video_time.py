"""`tools.Time`: frames and seconds of a video."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from PIL import Image

from spatial.frames import InputImage, InputImages, VideoMetadata
from spatial.key_frames import EDGE_PX, Grey, Reason, changes_of, key_positions


class VideoTime:
    """Frames and seconds. frame_to_seconds(frame_index) | seconds_to_frame(seconds) |
    frame_range_to_seconds(first, last) | get_frame_at_time(seconds): the sampled frame that is closest.
    """

    def __init__(self, images: InputImages, metadata: VideoMetadata) -> None:
        self._images, self._metadata = images, metadata

    def frame_to_seconds(self, frame_index: int) -> float:
        """Return the time of an absolute frame index."""
        return int(frame_index) / self._fps()

    def seconds_to_frame(self, seconds: float) -> int:
        """Return the absolute frame index at a time, within the video."""
        last = (self._metadata.total_frames or 1) - 1
        return min(max(round(seconds * self._fps()), 0), last)

    def frame_range_to_seconds(self, first: int, last: int) -> float:
        """Return the time from one absolute frame index to another."""
        return (int(last) - int(first)) / self._fps()

    def get_frame_at_time(self, seconds: float) -> InputImage:
        """Return the sampled frame that is closest to a time."""
        wanted = self.seconds_to_frame(seconds)
        indices: Sequence[int] = self._images.frame_indices
        return self._images.at(min(indices, key=lambda index: abs(index - wanted)))

    def key_frames(self, most: int = 8, counts: Mapping[int, int] | None = None) -> dict[int, Reason]:
        """Return at most `most` sampled frames at which the picture changes, by index with the reason.

        `counts` are those of `tools.SAM3.is_object_exist`: where they change, the object comes or goes.
        """
        indices = self._images.frame_indices
        wanted: dict[int, Reason] = {}
        for position, (before, after) in enumerate(pairwise(indices if counts else ()), 1):
            if counts and counts.get(before, 0) != counts.get(after, 0):
                wanted[position] = "object"
        chosen = key_positions(changes_of(map(_small, self._images)), most, wanted)
        return {indices[position]: reason for position, reason in chosen.items()}

    def __repr__(self) -> str:
        """Teach how to use it."""
        return self.__doc__ or ""

    def _fps(self) -> float:
        if not self._metadata.fps:
            raise ValueError("the input is not a video: its images have no times")
        return self._metadata.fps


def _small(image: InputImage) -> Grey:
    scale = EDGE_PX / max(image.width, image.height)
    size = max(16, round(image.width * scale)), max(16, round(image.height * scale))
    return np.asarray(image.image.convert("L").resize(size, Image.Resampling.BOX), np.float32)
