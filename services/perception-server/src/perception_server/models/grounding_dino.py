"""Grounding DINO: boxes of what texts name, in pictures."""

from collections.abc import Sequence
from typing import Any

from spatial.arrays import Bytes

from perception_server.models.interface import FoundBox, Placement
from perception_server.models.libraries import inference, torch, transformers

MOST = 32
"""Boxes of a text, the surest ones."""


def load(placement: Placement) -> "GroundingDino":
    """Load it from a folder, in 32 bits: its sampling of features has no other."""
    folder = placement.folder
    model = transformers.GroundingDinoForObjectDetection.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True
    )
    processor = transformers.GroundingDinoProcessor.from_pretrained(folder, local_files_only=True)
    return GroundingDino(model, processor, placement.device)


class GroundingDino:
    """One text for each picture, so that no box is that of two texts."""

    def __init__(self, model: Any, processor: Any, device: str) -> None:  # noqa: ANN401 - of transformers
        self.model, self.processor, self._device = model.to(device).eval(), processor, device

    def boxes(self, pictures: Sequence[Bytes], texts: Sequence[str]) -> list[list[FoundBox]]:
        """Return the boxes of each picture's text, the surest first, in one forward pass."""
        named = [f"{each.lower().rstrip('. ')}." for each in texts]  # as it was trained
        inputs = self.processor(images=list(pictures), text=named, padding=True, return_tensors="pt")
        with inference():
            out = self.model(**inputs.to(self._device))
            found = self.processor.post_process_grounded_object_detection(
                out, inputs["input_ids"], threshold=0.0, target_sizes=[each.shape[:2] for each in pictures]
            )
        return [_surest(each, *picture.shape[:2]) for each, picture in zip(found, pictures, strict=True)]


def _surest(found: dict[str, Any], height: int, width: int) -> list[FoundBox]:
    """Return boxes whose edges are between the centres of the first and the last pixel."""
    scores, corners = found["scores"].tolist(), (found["boxes"] - 0.5).tolist()
    boxes = (
        FoundBox((max(x1, 0.0), max(y1, 0.0), min(x2, width - 1.0), min(y2, height - 1.0)), score)
        for score, (x1, y1, x2, y2) in zip(scores, corners, strict=True)
    )
    real = [each for each in boxes if each.box[0] < each.box[2] and each.box[1] < each.box[3]]
    return sorted(real, key=lambda each: -each.score)[:MOST]
