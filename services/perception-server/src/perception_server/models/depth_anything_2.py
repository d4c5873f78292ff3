"""Depth Anything V2, metric: depth of single pictures in metres. It knows neither cameras nor how sure it is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from perception_server.models.interface import Cameras, Depths, ModelError, Placement, Views
from perception_server.models.libraries import half_precision, inference, torch, transformers

UNKNOWN = 0.5
"""Confidence of a depth by a model that gives none."""
FARTHEST = 0.98
"""Depth, as a share of the model's largest, from which there is none: what is farther has that, too, as has the sky."""


def load(placement: Placement) -> "DepthAnything":
    """Load it from a folder."""
    folder, precision = placement.folder, half_precision(placement.device)
    model = transformers.DepthAnythingForDepthEstimation.from_pretrained(folder, dtype=precision, local_files_only=True)
    processor = transformers.AutoImageProcessor.from_pretrained(folder, local_files_only=True)
    return DepthAnything(model, processor, placement)


class DepthAnything:
    """One picture of a scene, by a camera whose field of view is a setting if the photo does not state it."""

    max_views = 1

    def __init__(self, model: Any, processor: Any, placement: Placement) -> None:  # noqa: ANN401 - of transformers
        if model.config.depth_estimation_type != "metric":
            raise ModelError(f"the weights in {placement.folder} estimate relative depth: take metric ones")
        self.model, self.processor, self._placement = model.to(placement.device).eval(), processor, placement

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the depth of each picture, in one forward pass."""
        pictures = [scene.pictures[0] for scene in scenes]
        sizes = [each.shape[:2] for each in pictures]
        pixels = self.processor(images=pictures, return_tensors="pt")["pixel_values"]
        with inference():
            out = self.model(pixel_values=pixels.to(self._placement.device, self.model.dtype))
            out.predicted_depth = out.predicted_depth.to(torch.float32)
            found = self.processor.post_process_depth_estimation(out, target_sizes=sizes)
            depths = [each["predicted_depth"].cpu().numpy() for each in found]
        return [self._cameras(depth, *scene.focal_px) for scene, depth in zip(scenes, depths, strict=True)]

    def _cameras(self, depth: Depths, stated_px: float | None = None) -> Cameras:
        height, width = depth.shape
        is_known = (depth > 0) & (depth < FARTHEST * self.model.config.max_depth)
        focal = stated_px or width / 2 / np.tan(np.deg2rad(self._placement.fov_deg) / 2)
        return Cameras(
            depth=np.where(is_known, depth, 0)[None],
            confidence=np.where(is_known, np.float32(UNKNOWN), np.float32(0))[None],
            intrinsics=np.array([[focal, focal, width / 2 - 0.5, height / 2 - 0.5]]),
            extrinsics=np.eye(4)[None],
        )
