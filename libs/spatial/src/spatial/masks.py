"""`Masks`: which pixels of which frame belong to which object."""

from collections.abc import Sequence

import numpy as np
from contracts.events.perception import Segmented

from spatial.arrays import Bools, Floats, unpack_arrays, unpack_masks
from spatial.errors import NothingFoundError
from spatial.frames import range_text
from spatial.per_frame import PerFrame
from spatial.reconstruction import Reconstruction

MIN_CONFIDENCE = 77
"""Of 255: points below are not used for centres."""


class Masks(PerFrame[Bools]):
    """Masks of the same objects in all frames; an object that is hidden in a frame has an empty mask there."""

    variable = "masks"
    content = "(objects, h, w) bool"

    def __init__(
        self,
        frame_indices: Sequence[int],
        masks: Bools,
        labels: Sequence[str],
        scores: Sequence[float],
        notes: Sequence[str] = (),
    ) -> None:
        """Keep masks (n, objects, h, w) with a label and a score for each object; `notes`: what they are worth."""
        super().__init__(frame_indices, list(masks))
        self.labels = tuple(labels)
        self.scores = tuple(scores)
        self.notes = tuple(notes)

    @classmethod
    def of(cls, result: Segmented, arrays_npz: bytes) -> "Masks":
        """Read a result; raise `MalformedArraysError` if its arrays do not fit."""
        masks = unpack_masks(*unpack_arrays(arrays_npz, "masks", "shape"))
        return cls(
            result.frame_indices,
            masks,
            [each.label for each in result.objects],
            [each.score for each in result.objects],
            result.notes,
        )

    def mask(self, label: str | int = 0, frame_index: int | None = None) -> Bools:
        """Return the mask (h, w) of an object, by label or number; the frame may be omitted if there is only one."""
        return self[self._frame(frame_index)][self._number(label)]

    def frames_with(self, label: str | int = 0) -> tuple[int, ...]:
        """Return the absolute indices of the frames in which an object has pixels."""
        number = self._number(label)
        return tuple(index for index in self.frame_indices if self[index][number].any())

    def points(
        self,
        reconstruction: Reconstruction,
        label: str | int = 0,
        frame_index: int | None = None,
        min_confidence: int = MIN_CONFIDENCE,
    ) -> Floats:
        """Return the world points (k, 3) of an object's pixels: in one frame, or in all without `frame_index`.

        Raises `NothingFoundError` if the object has no pixel with a depth there.
        """
        if frame_index is None:
            self.require_same_frames(reconstruction.depth)
        number = self._number(label)
        indices = self.frame_indices if frame_index is None else (frame_index,)
        found = [self._points_in(reconstruction, number, index, min_confidence) for index in indices]
        points = np.concatenate(found)
        if not len(points):
            raise NothingFoundError(
                f"{self.labels[number]} has no pixel with a depth in {range_text(indices)}", self._hints(number)
            )
        return points

    def centroid_3d(
        self, reconstruction: Reconstruction, label: str | int = 0, frame_index: int | None = None
    ) -> Floats:
        """Return the median world point (3,) of an object's visible surface; NaN if it is not visible."""
        try:
            return np.median(self.points(reconstruction, label, frame_index), axis=0)
        except NothingFoundError:
            return np.full(3, np.nan)

    def extent_3d(
        self, reconstruction: Reconstruction, label: str | int = 0, frame_index: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return the smallest and the largest world coordinates (3,) of an object's visible surface."""
        points = self.points(reconstruction, label, frame_index)
        return points.min(axis=0), points.max(axis=0)

    def __repr__(self) -> str:
        """Teach how to use it."""
        areas = [self.areas(label) for label in range(len(self.labels))]
        lines = [
            f"  [{number}] {label!r}, score {score:.2f}, seen in {sum(area > 0 for area in seen)} of {len(self)} frames"
            f", largest {max(seen, default=0)} px"
            for number, (label, score, seen) in enumerate(zip(self.labels, self.scores, areas, strict=True))
        ]
        usage = "  masks.mask(label, frame_index) | masks.points(rec, label, frame_index) | masks.frames_with(label)"
        return "\n".join([super().__repr__(), *lines, usage, *(f"  NOTE {note}" for note in self.notes)])

    def areas(self, label: str | int = 0) -> tuple[int, ...]:
        """Return the number of an object's pixels in each frame."""
        number = self._number(label)
        return tuple(int(self[index][number].sum()) for index in self.frame_indices)

    def _points_in(self, reconstruction: Reconstruction, number: int, index: int, min_confidence: int) -> Floats:
        mask = self[index][number]
        points, confidence = reconstruction.points[index], reconstruction.points.confidence[index]
        if mask.shape != confidence.shape:
            raise ValueError(
                f"the mask of frame {index} is {mask.shape}, its reconstruction {confidence.shape}: "
                "use images of one size"
            )
        return points[mask & (confidence >= min_confidence)].astype(np.float64)

    def _frame(self, frame_index: int | None) -> int:
        if frame_index is not None:
            return frame_index
        if len(self) > 1:
            raise TypeError(
                f"masks of {len(self)} frames need a frame: masks.mask(label, {self.frame_indices[0]}); "
                "masks.frames_with(label) lists those with pixels"
            )
        return self.frame_indices[0]

    def _number(self, label: str | int) -> int:
        if isinstance(label, str):
            if label in self.labels:
                return self.labels.index(label)
            raise KeyError(f"there is no object {label!r}; the labels are {', '.join(map(repr, self.labels))}")
        if not 0 <= int(label) < len(self.labels):
            raise KeyError(
                f"there is no object {label}; there are {len(self.labels)}: {', '.join(map(repr, self.labels))}"
            )
        return int(label)

    def _hints(self, number: int) -> list[str]:
        seen = self.frames_with(number)
        return [
            f"use a frame in which it is visible: {range_text(seen)}"
            if seen
            else "it is hidden in all of these frames",
            "lower min_confidence: 1 keeps every pixel that has a depth",
            "segment more frames: tools.SAM3.segment_video_by_text([...]) without frame_indices takes all",
        ]
