"""SAM 3: masks by texts, points and boxes, in pictures and videos."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from contracts.events.perception import TextPrompt

from perception_server.models.interface import FoundObjects, Placement, Prompted, packed
from perception_server.models.libraries import half_precision, inference, transformers
from perception_server.models.place_tracker import PlaceTracker, Step, bits_of, session_of, tracked


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

    takes_texts = True

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of the model
        self,
        video: Any,  # noqa: ANN401 - of transformers, as are the others
        tracker: Any,  # noqa: ANN401
        processor: Any,  # noqa: ANN401
        video_processor: Any,  # noqa: ANN401
        tracker_processor: Any,  # noqa: ANN401
        device: str,
    ) -> None:
        self.video, self.tracker = video.to(device).eval(), PlaceTracker(tracker, tracker_processor, device)
        self.processor, self.video_processor = processor, video_processor
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
        return tracked(request, self._by_texts(request), self.tracker.steps(request))

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

    def _by_texts(self, request: Prompted) -> Iterator[Step]:
        """Yield position, objects, and the prompt of each object, for all frames."""
        numbers = {each.text: number for number, each in enumerate(request.prompts) if isinstance(each, TextPrompt)}
        if not numbers:
            return
        session = session_of(self.video_processor, request, self._device, self.video.dtype)
        self.video_processor.add_text_prompt(session, list(numbers))
        with inference():
            for out in self.video.propagate_in_video_iterator(inference_session=session):
                found = self.video_processor.postprocess_outputs(session, out)
                ids = [int(each) for each in found["object_ids"]]
                objects = zip(bits_of(found["masks"], request) if ids else (), found["scores"].tolist(), strict=True)
                owned = {
                    int(each): numbers[name] for name, theirs in found["prompt_to_obj_ids"].items() for each in theirs
                }
                yield out.frame_idx, dict(zip(ids, objects, strict=True)), owned


def _chosen(request: Prompted, name: str, found: dict[str, Any]) -> FoundObjects:
    """Return the instances that are sure enough; without any, masks would have the model's size."""
    kept = [number for number, score in enumerate(found["scores"].tolist()) if score >= request.threshold]
    height, width = request.pictures[0].shape[:2]
    masks = found["masks"].cpu().numpy()[kept] > 0 if kept else np.zeros((0, height, width), np.bool_)
    scores = tuple(float(found["scores"][number]) for number in kept)
    return FoundObjects(packed(masks)[None], (name,) * len(kept), (0,) * len(kept), scores)
