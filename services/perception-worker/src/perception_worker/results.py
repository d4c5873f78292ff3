"""What a backend answers with, before its arrays are stored."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from contracts.events.perception import (
    Alignment,
    FrameIntrinsics,
    PerceptionProblem,
    Reconstructed,
    Segmented,
    SegmentedObject,
    SegmentVideo,
    Tracked,
    TrackPoints,
)
from contracts.models.artifact import ArtifactRef
from contracts.models.geometry import Vector
from numpy.typing import NDArray
from spatial.arrays import Bools, Bytes, Floats, pack_arrays, pack_masks

Depths = NDArray[np.float32]
UP_TO_SCALE = "up to scale: lengths have no unit until rec.with_known_length(length_m, point_a, point_b)"
"""The first note of what has no unit, which a known length replaces."""


class RefusedError(Exception):
    """A request has no answer, for a reason that the cell can act on."""

    def __init__(self, reason: PerceptionProblem, detail: str, retry_after_s: int | None = None) -> None:
        super().__init__(detail)
        self.reason: PerceptionProblem = reason
        self.retry_after_s = retry_after_s


def prompted_position(operation: SegmentVideo | TrackPoints) -> int:
    """Return the position of the frame that prompts or points are in; raise `RefusedError`."""
    indices = [frame.frame_index for frame in operation.frames]
    if operation.prompt_frame_index not in indices:
        raise RefusedError(
            "invalid_prompt", f"the prompts' frame {operation.prompt_frame_index} is not among the frames"
        )
    return indices.index(operation.prompt_frame_index)


@dataclass(frozen=True)
class ReconstructedFrames:
    """Depth and cameras of n frames."""

    frame_indices: tuple[int, ...]
    depth: Depths
    """(n, h, w), m along the camera's z axis"""
    confidence: Bytes
    """(n, h, w), 255: certain, 0: no depth"""
    extrinsics: Floats
    """(n, 4, 4), camera to world"""
    intrinsics: tuple[FrameIntrinsics, ...]
    gravity_direction: Vector
    metric_scale: float
    align: Alignment
    is_metric: bool = True
    notes: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """Return its arrays as a file."""
        return pack_arrays({"depth": self.depth, "confidence": self.confidence, "extrinsics": self.extrinsics})

    def result(self, arrays: ArtifactRef) -> Reconstructed:
        """Return the result whose arrays are stored."""
        return Reconstructed(
            kind="reconstructed",
            arrays=arrays,
            frame_indices=self.frame_indices,
            intrinsics=self.intrinsics,
            gravity_direction=self.gravity_direction,
            metric_scale=self.metric_scale,
            align=self.align,
            is_metric=self.is_metric,
            notes=self.notes,
        )


@dataclass(frozen=True)
class SegmentedFrames:
    """Masks of objects in n frames."""

    frame_indices: tuple[int, ...]
    masks: Bools
    """(n, objects, h, w)"""
    objects: tuple[SegmentedObject, ...]
    notes: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """Return its arrays as a file."""
        return pack_arrays(pack_masks(self.masks))

    def result(self, arrays: ArtifactRef) -> Segmented:
        """Return the result whose arrays are stored."""
        return Segmented(
            kind="segmented",
            arrays=arrays,
            frame_indices=self.frame_indices,
            objects=self.objects,
            notes=self.notes,
        )


@dataclass(frozen=True)
class PackedFrames:
    """Masks of objects in n frames as a server has packed them: unpacked, those of 1,000 frames take gigabytes."""

    frame_indices: tuple[int, ...]
    bits: Bytes
    """(n, objects, ceil(h * w / 8)), as of `numpy.packbits`"""
    size: tuple[int, int]
    """Height and width."""
    objects: tuple[SegmentedObject, ...]

    def packed(self) -> bytes:
        """Return its arrays as a file."""
        shape = np.array([*self.bits.shape[:2], *self.size], dtype=np.int64)
        return pack_arrays({"masks": self.bits, "shape": shape})

    def result(self, arrays: ArtifactRef) -> Segmented:
        """Return the result whose arrays are stored."""
        return Segmented(kind="segmented", arrays=arrays, frame_indices=self.frame_indices, objects=self.objects)


@dataclass(frozen=True)
class TrackedPoints:
    """Where k points are in n frames."""

    frame_indices: tuple[int, ...]
    pixels: Depths
    """(n, k, 2), px"""
    confidence: Bytes
    """(n, k), 255: certain, 0: hidden, out of the frame or lost"""
    notes: tuple[str, ...] = ()

    def packed(self) -> bytes:
        """Return its arrays as a file."""
        return pack_arrays({"pixels": self.pixels, "confidence": self.confidence})

    def result(self, arrays: ArtifactRef) -> Tracked:
        """Return the result whose arrays are stored."""
        return Tracked(kind="tracked", arrays=arrays, frame_indices=self.frame_indices, notes=self.notes)


Found: TypeAlias = ReconstructedFrames | SegmentedFrames | PackedFrames | TrackedPoints
