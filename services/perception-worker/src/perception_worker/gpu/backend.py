"""The GPU backend: sends pictures to a server, and checks that the arrays of its answer fit them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

import numpy as np
from contracts.events.perception import (
    FrameIntrinsics,
    KernelOperation,
    Prompt,
    Reconstruct,
    SegmentedObject,
    SegmentImage,
    SegmentVideo,
    TrackPoints,
)
from contracts.models.artifact import Sha256
from contracts.models.questions.frames import FrameRef
from pydantic import ValidationError
from spatial.arrays import AnyArray

from perception_worker.gpu.client import GpuClient, ServerAnswer
from perception_worker.results import (
    UP_TO_SCALE,
    Found,
    PackedFrames,
    ReconstructedFrames,
    RefusedError,
    SegmentedFrames,
)

MAX_NOTES, MAX_NOTE_CHARACTERS = 8, 300


class GpuBackend:
    """Answers about any pictures, by models."""

    def __init__(self, client: GpuClient) -> None:
        self._client = client

    async def has_servers(self) -> bool:
        """Return whether a server is configured or announced now."""
        return await self._client.has_servers()

    async def answer(
        self,
        operation: KernelOperation,
        pictures: Mapping[Sha256, bytes],
        run_id: UUID | None = None,
    ) -> Found:
        """Answer one operation about pictures, by digest, with the run's server; raise `RefusedError`."""
        match operation:
            case Reconstruct():
                arguments = {**_images(operation.frames, pictures), "align": operation.align}
                hints = _hints(operation.frames)
                return _reconstructed(operation, await self._client.call("reconstruct", arguments, run_id, hints))
            case SegmentImage():
                frames, prompts = (operation.frame,), (operation.prompt,)
                arguments = _segmenting(frames, prompts, 0, operation.confidence_threshold, pictures)
                return _segmented(frames, len(prompts), await self._client.call("detect", arguments, run_id))
            case SegmentVideo():
                frames, prompts = operation.frames, operation.prompts
                prompted = [frame.frame_index for frame in frames].index(operation.prompt_frame_index)
                arguments = _segmenting(frames, prompts, prompted, operation.confidence_threshold, pictures)
                return _segmented(frames, len(prompts), await self._client.call("segment_video", arguments, run_id))
            case TrackPoints():
                raise RefusedError("backend_unavailable", "no server tracks points")


def _images(frames: Sequence[FrameRef], pictures: Mapping[Sha256, bytes]) -> dict[str, object]:
    return {
        "images": [b64encode(pictures[frame.picture.sha256]).decode() for frame in frames],
        "frame_indices": [frame.frame_index for frame in frames],
    }


def _hints(frames: Sequence[FrameRef]) -> dict[str, object]:
    """Return the focal lengths that photos state, for servers that know what to do with them."""
    stated = [frame.focal_px for frame in frames]
    return {} if all(each is None for each in stated) else {"focal_px": stated}


def _segmenting(
    frames: Sequence[FrameRef],
    prompts: Sequence[Prompt],
    prompted: int,
    threshold: float,
    pictures: Mapping[Sha256, bytes],
) -> dict[str, object]:
    return {
        **_images(frames, pictures),
        "prompts": [prompt.model_dump(mode="json") for prompt in prompts],
        "prompt_frame": prompted,
        "confidence_threshold": threshold,
    }


def _reconstructed(operation: Reconstruct, answer: ServerAnswer) -> ReconstructedFrames:
    fields, frames = _fields(answer.result), operation.frames
    shape = (len(frames), frames[0].height_px, frames[0].width_px)
    confidence = _array(fields, "confidence", shape)
    is_packed = answer.version > 1
    if is_packed:
        _require_bytes("confidence", confidence)
    intrinsics = _array(fields, "intrinsics", (len(frames), 4))
    gravity, is_metric = _array(fields, "gravity", (3,)), fields.get("is_metric", True) is True
    try:
        return ReconstructedFrames(
            frame_indices=tuple(frame.frame_index for frame in frames),
            depth=_array(fields, "depth", shape).astype(np.float32),
            confidence=confidence if is_packed else np.clip(np.nan_to_num(confidence) * 255, 0, 255).astype(np.uint8),
            extrinsics=_array(fields, "extrinsics", (len(frames), 4, 4)).astype(np.float64),
            intrinsics=tuple(
                FrameIntrinsics(fx=float(fx), fy=float(fy), cx=float(cx), cy=float(cy)) for fx, fy, cx, cy in intrinsics
            ),
            gravity_direction=(float(gravity[0]), float(gravity[1]), float(gravity[2])),
            metric_scale=float(fields.get("metric_scale", 1.0)),
            align=operation.align,
            is_metric=is_metric,
            notes=_notes(fields) if is_metric else (UP_TO_SCALE, *_notes(fields)),
        )
    except ValidationError as error:
        raise _malformed(f"its cameras are not possible: {error.errors()[0]['msg']}") from error


def _notes(fields: Mapping[str, Any]) -> tuple[str, ...]:
    found = fields.get("notes", ())
    if not isinstance(found, list):
        return ()
    return tuple(str(each)[:MAX_NOTE_CHARACTERS] for each in cast("list[object]", found)[:MAX_NOTES])


def _segmented(frames: Sequence[FrameRef], prompts: int, answer: ServerAnswer) -> SegmentedFrames | PackedFrames:
    fields, indices = _fields(answer.result), tuple(frame.frame_index for frame in frames)
    objects = _objects(fields, prompts)
    height, width = frames[0].height_px, frames[0].width_px
    if answer.version == 1:
        masks = _array(fields, "masks", (len(frames), len(objects), height, width)).astype(np.bool_)
        return SegmentedFrames(indices, masks, objects)
    bits = _array(fields, "masks", (len(frames), len(objects), (height * width + 7) // 8))
    _require_bytes("masks", bits)
    return PackedFrames(indices, bits, (height, width), objects)


def _objects(fields: Mapping[str, Any], prompts: int) -> tuple[SegmentedObject, ...]:
    try:
        objects = tuple(
            SegmentedObject(label=str(label), prompt=prompt, score=score)
            for label, prompt, score in zip(fields["labels"], fields["prompts"], fields["scores"], strict=True)
        )
    except (ValidationError, KeyError, ValueError, TypeError) as error:
        raise _malformed(f"its objects lack labels, prompts or scores: {error}") from error
    if any(each.prompt >= prompts for each in objects):
        raise _malformed("it names a prompt that was not sent")
    return objects


def _fields(result: object) -> dict[str, Any]:
    if not isinstance(result, dict):
        raise _malformed(f"its result is {type(result).__name__}, not a map")
    return cast("dict[str, Any]", result)


def _array(fields: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> AnyArray:
    found = fields.get(name)
    if not isinstance(found, np.ndarray) or cast("AnyArray", found).shape != shape:
        given = cast("AnyArray", found).shape if isinstance(found, np.ndarray) else type(found).__name__
        raise _malformed(f"its {name} should be an array {shape}, and is {given}")
    return cast("AnyArray", found)


def _require_bytes(name: str, array: AnyArray) -> None:
    if array.dtype != np.uint8:
        raise _malformed(f"its {name} of version 2 should be bytes, and are {array.dtype}")


def _malformed(problem: str) -> RefusedError:
    return RefusedError("backend_unavailable", f"the GPU server's answer cannot be used: {problem}")
