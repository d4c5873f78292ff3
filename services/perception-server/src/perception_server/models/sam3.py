"""SAM 3: masks by texts, points and boxes, in pictures and videos."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from contracts.events.perception import BoxPrompt, PointsPrompt, TextPrompt
from spatial.arrays import Bytes

from perception_server.models.interface import AbandonedError, FoundObjects, Placement, Prompted, packed
from perception_server.models.libraries import half_precision, inference, transformers

FOREGROUND, BACKGROUND, CORNERS = 1, 0, (2, 3)
"""Labels of points: on the object, beside it, and the corners of a box around it."""
UNNAMED = "object"
Scored = dict[int, tuple[Bytes, float]]
"""Bits and score of each object of a frame."""


def load(placement: Placement) -> "Sam3":
    """Load it from a folder."""

    def loaded(kind: str) -> Any:  # noqa: ANN401 - classes of transformers
        dtype = half_precision(placement.device)
        return getattr(transformers, kind).from_pretrained(placement.folder, dtype=dtype, local_files_only=True)

    def processor(kind: str) -> Any:  # noqa: ANN401
        return getattr(transformers, kind).from_pretrained(placement.folder, local_files_only=True)

    return Sam3(
        loaded("Sam3VideoModel"),
        loaded("Sam3TrackerVideoModel"),
        processor("Sam3Processor"),
        processor("Sam3VideoProcessor"),
        processor("Sam3TrackerVideoProcessor"),
        placement.device,
    )


class Sam3:
    """Texts by the detector, which the model of videos contains; points and boxes by the tracker."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of the model
        self,
        video: Any,  # noqa: ANN401 - of transformers, as are the others
        tracker: Any,  # noqa: ANN401
        processor: Any,  # noqa: ANN401
        video_processor: Any,  # noqa: ANN401
        tracker_processor: Any,  # noqa: ANN401
        device: str,
    ) -> None:
        self.video, self.tracker = video.to(device).eval(), tracker.to(device).eval()
        self.processor, self.video_processor, self.tracker_processor = processor, video_processor, tracker_processor
        self._device = device

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Return the objects of each picture: all texts in one forward pass, points and boxes one by one."""
        texts = [each for each in requests if isinstance(each.prompts[0], TextPrompt)]
        named = iter(self._detect_texts(texts) if texts else ())
        return [next(named) if isinstance(each.prompts[0], TextPrompt) else self.track(each) for each in requests]

    def track(self, request: Prompted) -> FoundObjects:
        """Return the objects of a video; those of texts are found in all frames, others from their frame on and back.

        Texts find objects above the thresholds of the weights' configuration, of which the request's are a part.
        """
        frames: list[Scored] = [{} for _ in request.pictures]
        owners: dict[int, int] = {}
        for source in (self._by_texts, self._by_places):
            first = max(owners, default=-1) + 1  # ids of one source follow those of the other
            for position, objects, owned in source(request):
                if not request.is_wanted():
                    raise AbandonedError
                owners |= {first + number: prompt for number, prompt in owned.items()}
                frames[position] |= {first + number: each for number, each in objects.items()}
        return _collected(request, frames, owners)

    def _detect_texts(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        names = [each.prompts[0].text for each in requests if isinstance(each.prompts[0], TextPrompt)]
        pictures = [each.pictures[0] for each in requests]
        inputs = self.processor(images=pictures, text=names, return_tensors="pt").to(self._device)
        sizes = inputs.pop("original_sizes").tolist()
        inputs["pixel_values"] = inputs["pixel_values"].to(self.video.dtype)
        with inference():
            out = self.video.detector_model(**inputs)
            found = self.processor.post_process_instance_segmentation(out, threshold=0.0, target_sizes=sizes)
        return [_chosen(*each) for each in zip(requests, names, found, strict=True)]

    def _by_texts(self, request: Prompted) -> Iterator[tuple[int, Scored, dict[int, int]]]:
        """Yield position, objects, and the prompt of each object, for all frames."""
        numbers = {each.text: number for number, each in enumerate(request.prompts) if isinstance(each, TextPrompt)}
        if not numbers:
            return
        session = self._session(self.video_processor, request)
        self.video_processor.add_text_prompt(session, list(numbers))
        with inference():
            for out in self.video.propagate_in_video_iterator(inference_session=session):
                found = self.video_processor.postprocess_outputs(session, out)
                ids = [int(each) for each in found["object_ids"]]
                objects = zip(_bits(found["masks"], request) if ids else (), found["scores"].tolist(), strict=True)
                owned = {
                    int(each): numbers[name] for name, theirs in found["prompt_to_obj_ids"].items() for each in theirs
                }
                yield out.frame_idx, dict(zip(ids, objects, strict=True)), owned

    def _by_places(self, request: Prompted) -> Iterator[tuple[int, Scored, dict[int, int]]]:
        """Yield the same for points and boxes, each of which is one object."""
        placed = [(n, each) for n, each in enumerate(request.prompts) if not isinstance(each, TextPrompt)]
        if not placed:
            return
        owned = {number: prompt for number, (prompt, _) in enumerate(placed)}
        points, labels = zip(*(_points(each) for _, each in placed), strict=True)
        session = self._session(self.tracker_processor, request)
        self.tracker_processor.add_inputs_to_inference_session(
            session, request.prompt_frame, list(owned), input_points=[list(points)], input_labels=[list(labels)]
        )
        size = request.pictures[0].shape[:2]
        with inference():
            for reverse in (False, True):
                for out in self.tracker.propagate_in_video_iterator(session, request.prompt_frame, reverse=reverse):
                    [masks] = self.tracker_processor.post_process_masks([out.pred_masks], [size])
                    scores = out.object_score_logits.float().sigmoid().flatten().tolist()
                    objects = zip(_bits(masks[:, 0], request), scores, strict=True)
                    yield out.frame_idx, dict(zip(map(int, out.object_ids), objects, strict=True)), owned

    def _session(self, processor: Any, request: Prompted) -> Any:  # noqa: ANN401
        return processor.init_video_session(
            video=list(request.pictures),
            inference_device=self._device,
            processing_device=self._device,
            video_storage_device="cpu",
            dtype=self.video.dtype,
        )


def _points(prompt: PointsPrompt | BoxPrompt) -> tuple[list[list[float]], list[int]]:
    """Return coordinates and labels."""
    if isinstance(prompt, BoxPrompt):
        return [list(prompt.box[:2]), list(prompt.box[2:])], list(CORNERS)
    places = [list(each) for each in (*prompt.foreground, *prompt.background)]
    return places, [FOREGROUND] * len(prompt.foreground) + [BACKGROUND] * len(prompt.background)


def _bits(masks: Any, request: Prompted) -> Iterator[Bytes]:  # noqa: ANN401 - a tensor
    """Yield the bits of masks (k, h, w)."""
    height, width = request.pictures[0].shape[:2]
    yield from packed(masks.cpu().numpy().reshape(-1, height, width) > 0)


def _chosen(request: Prompted, name: str, found: dict[str, Any]) -> FoundObjects:
    """Return the instances that are sure enough; without any, masks would have the model's size."""
    kept = [number for number, score in enumerate(found["scores"].tolist()) if score >= request.threshold]
    height, width = request.pictures[0].shape[:2]
    masks = found["masks"].cpu().numpy()[kept] > 0 if kept else np.zeros((0, height, width), np.bool_)
    scores = tuple(float(found["scores"][number]) for number in kept)
    return FoundObjects(packed(masks)[None], (name,) * len(kept), (0,) * len(kept), scores)


def _collected(request: Prompted, frames: Sequence[Scored], owners: dict[int, int]) -> FoundObjects:
    """Return the objects that are sure enough in a frame; they are empty in frames without them."""
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
