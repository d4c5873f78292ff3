"""Masks of what texts name, by a model that finds their boxes and one that knows boxes alone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from contracts.events.perception import BoxPrompt, Prompt, TextPrompt

from perception_server.models.interface import Finder, FoundBox, FoundObjects, Prompted, Segmenter


class GroundedSegmenter:
    """Texts are found in the prompts' frame only: what is not in it is not followed."""

    takes_texts = True

    def __init__(self, finder: Finder, segmenter: Segmenter) -> None:
        self._finder, self._segmenter = finder, segmenter

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Return the objects of each picture: all texts in one forward pass, masks one by one."""
        texts = [
            (each.pictures[each.prompt_frame], prompt.text)
            for each in requests
            for prompt in each.prompts
            if isinstance(prompt, TextPrompt)
        ]
        found = iter(self._finder.boxes(*zip(*texts, strict=True)) if texts else ())
        return [
            self._segmented(each, [next(found) if isinstance(prompt, TextPrompt) else () for prompt in each.prompts])
            for each in requests
        ]

    def track(self, request: Prompted) -> FoundObjects:
        """Return the objects of a video, from the prompts' frame on and back."""
        [found] = self.detect([request])
        return found

    def _segmented(self, request: Prompted, boxes: Sequence[Sequence[FoundBox]]) -> FoundObjects:
        """Return the objects of a request whose texts have these boxes; a text's objects have its box's score."""
        placed: list[tuple[int, Prompt, float | None]] = []
        for number, (prompt, found) in enumerate(zip(request.prompts, boxes, strict=True)):
            if not isinstance(prompt, TextPrompt):
                placed.append((number, prompt, None))
            sure = (each for each in found if each.score >= request.threshold)
            placed.extend((number, BoxPrompt(kind="box", box=each.box), each.score) for each in sure)
        if not placed:
            height, width = request.pictures[0].shape[:2]
            return FoundObjects(np.zeros((len(request.pictures), 0, (height * width + 7) // 8), np.uint8), (), (), ())
        # the threshold is applied here, so that each prompt has its object
        prompts = tuple(prompt for _, prompt, _ in placed)
        masks = self._segmenter.track(replace(request, prompts=prompts, threshold=0.0))
        scores = [masks.scores[place] if score is None else score for place, (_, _, score) in enumerate(placed)]
        kept = [place for place, score in enumerate(scores) if score >= request.threshold]
        owners = tuple(placed[place][0] for place in kept)
        labels = tuple(getattr(request.prompts[placed[place][0]], "text", masks.labels[place]) for place in kept)
        return FoundObjects(masks.bits[:, kept], labels, owners, tuple(scores[place] for place in kept))
