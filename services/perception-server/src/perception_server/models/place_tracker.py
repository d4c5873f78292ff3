"""Masks by points and boxes in pictures and videos: trackers of transformers, which SAM 2 and SAM 3 share."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from contracts.events.perception import BoxPrompt, PointsPrompt, TextPrompt
from spatial.arrays import Bytes

from perception_server.models.interface import AbandonedError, FoundObjects, Prompted, packed
from perception_server.models.libraries import inference

FOREGROUND, BACKGROUND, CORNERS = 1, 0, (2, 3)
"""Labels of points: on the object, beside it, and the corners of a box around it."""
UNNAMED = "object"
Scored = dict[int, tuple[Bytes, float]]
"""Bits and score of each object of a frame."""
Step = tuple[int, Scored, dict[int, int]]
"""Position of a frame, its objects, and the prompt of each object."""


class PlaceTracker:
    """Follows what is at points and in boxes, each of which is one object."""

    def __init__(self, model: Any, processor: Any, device: str) -> None:  # noqa: ANN401 - of transformers
        self.model, self.processor, self.device = model.to(device).eval(), processor, device

    def steps(self, request: Prompted) -> Iterator[Step]:
        """Yield objects from their frame on, and back."""
        placed = [(n, each) for n, each in enumerate(request.prompts) if not isinstance(each, TextPrompt)]
        if not placed:
            return
        owned = {number: prompt for number, (prompt, _) in enumerate(placed)}
        points, labels = zip(*(_points(each) for _, each in placed), strict=True)
        session = session_of(self.processor, request, self.device, self.model.dtype)
        self.processor.add_inputs_to_inference_session(
            session, request.prompt_frame, list(owned), input_points=[list(points)], input_labels=[list(labels)]
        )
        size = request.pictures[0].shape[:2]
        with inference():
            for reverse in (False, True):
                for out in self.model.propagate_in_video_iterator(session, request.prompt_frame, reverse=reverse):
                    [masks] = self.processor.post_process_masks([out.pred_masks], [size])
                    scores = out.object_score_logits.float().sigmoid().flatten().tolist()
                    objects = zip(bits_of(masks[:, 0], request), scores, strict=True)
                    yield out.frame_idx, dict(zip(map(int, out.object_ids), objects, strict=True)), owned


def session_of(processor: Any, request: Prompted, device: str, dtype: Any) -> Any:  # noqa: ANN401
    """Return a session of a video, whose frames are not kept on the device."""
    return processor.init_video_session(
        video=list(request.pictures),
        inference_device=device,
        processing_device=device,
        video_storage_device="cpu",
        dtype=dtype,
    )


def bits_of(masks: Any, request: Prompted) -> Iterator[Bytes]:  # noqa: ANN401 - a tensor
    """Yield the bits of masks (k, h, w)."""
    height, width = request.pictures[0].shape[:2]
    yield from packed(masks.cpu().numpy().reshape(-1, height, width) > 0)


def tracked(request: Prompted, *sources: Iterator[Step]) -> FoundObjects:
    """Return the objects of all sources that are sure enough in a frame; they are empty in frames without them.

    Raises `AbandonedError` once the request is not wanted.
    """
    frames: list[Scored] = [{} for _ in request.pictures]
    owners: dict[int, int] = {}
    for source in sources:
        first = max(owners, default=-1) + 1  # ids of one source follow those of the other
        for position, objects, owned in source:
            if not request.is_wanted():
                raise AbandonedError
            owners |= {first + number: prompt for number, prompt in owned.items()}
            frames[position] |= {first + number: each for number, each in objects.items()}
    return _collected(request, frames, owners)


def _points(prompt: PointsPrompt | BoxPrompt) -> tuple[list[list[float]], list[int]]:
    """Return coordinates and labels."""
    if isinstance(prompt, BoxPrompt):
        return [list(prompt.box[:2]), list(prompt.box[2:])], list(CORNERS)
    places = [list(each) for each in (*prompt.foreground, *prompt.background)]
    return places, [FOREGROUND] * len(prompt.foreground) + [BACKGROUND] * len(prompt.background)


def _collected(request: Prompted, frames: Sequence[Scored], owners: dict[int, int]) -> FoundObjects:
    best = {
        each: max((objects[each][1] for objects in frames if each in objects), default=0.0) for each in sorted(owners)
    }
    kept = [each for each, score in best.items() if score >= request.threshold]
    height, width = request.pictures[0].shape[:2]
    bits = np.zeros((len(frames), len(kept), (height * width + 7) // 8), np.uint8)
    for position, objects in enumerate(frames):
        for place, each in enumerate(kept):
            if each in objects:
                bits[position, place] = objects[each][0]
    prompts = tuple(owners[each] for each in kept)
    labels = tuple(getattr(request.prompts[each], "text", UNNAMED) for each in prompts)
    return FoundObjects(bits, labels, prompts, tuple(best[each] for each in kept))
