"""Answers as perception-worker reads them: MessagePack in version 1, or in version 2 with masks as bits."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from spatial.array_codec import encode
from spatial.arrays import unpack_masks

from perception_server.floor import aligned
from perception_server.models.interface import Cameras, FoundObjects

MAX_ANSWER_BYTES = 255 * 2**20
"""perception-worker reads 256 MiB."""
DOWN = np.array([0.0, -1.0, 0.0])


class CallAnswer(NamedTuple):
    """The body of a response."""

    body: bytes
    ok: bool
    """Whether it is a result, and not an error."""


def answer_of_cameras(cameras: Cameras, version: int) -> CallAnswer:
    """Return the answer to `reconstruct`, in a world with y up; raise `ValueError` if it is too large."""
    confidence = np.clip(np.nan_to_num(cameras.confidence), 0, 1).astype(np.float32)
    _require_room(cameras.depth.size * (4 + (4 if version == 1 else 1)), f"{len(cameras.depth)} depth maps")
    return _answer(
        version,
        {
            "depth": cameras.depth.astype(np.float32),
            "confidence": confidence if version == 1 else np.round(255 * confidence).astype(np.uint8),
            "extrinsics": aligned(cameras).astype(np.float64),
            "intrinsics": cameras.intrinsics.astype(np.float64),
            "gravity": DOWN,
            "metric_scale": cameras.metric_scale,
            "is_metric": cameras.is_metric,
            "notes": list(cameras.notes),
        },
    )


def answer_of_objects(found: FoundObjects, size: tuple[int, int], version: int) -> CallAnswer:
    """Return the answer about pictures of a size (w, h); raise `ValueError` if it is too large."""
    frames, objects, _ = found.bits.shape
    shape = np.array([frames, objects, size[1], size[0]])
    bytes_needed = int(np.prod(shape)) if version == 1 else found.bits.size
    _require_room(bytes_needed, f"masks of {objects} objects in {frames} frames")
    return _answer(
        version,
        {
            "masks": unpack_masks(found.bits, shape) if version == 1 else found.bits,
            "labels": list(found.labels),
            "prompts": list(found.prompts),
            "scores": [float(np.clip(score, 0, 1)) for score in found.scores],
        },
    )


def answer_of_error(kind: str, message: str, version: int) -> CallAnswer:
    """Return the answer that says why there is none."""
    return CallAnswer(encode({"version": version, "ok": False, "error": {"type": kind, "message": message}}), ok=False)


def _answer(version: int, result: Mapping[str, object]) -> CallAnswer:
    return CallAnswer(encode({"version": version, "ok": True, "result": result}), ok=True)


def _require_room(needed: int, what: str) -> None:
    if needed > MAX_ANSWER_BYTES:
        raise ValueError(
            f"{what} are {needed / 2**20:.0f} MiB, more than an answer holds: ask about fewer frames or objects"
        )
