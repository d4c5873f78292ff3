"""Depth Anything 3: depth and cameras of many views of a scene, up to scale; and metres of single pictures."""

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from PIL import Image
from spatial.arrays import Bytes, Floats

from perception_server.models.interface import Cameras, Depths, ModelError, Placement, Views
from perception_server.models.libraries import half_precision, inference, safe_tensors, torch
from perception_server.models.many_views import cameras_of, nearest_of

MAX_VIEWS = 64
LONGEST_PX, PATCH = 504, 14
"""Of the pictures that the model sees, whose edges are multiples of the second."""
MEAN, DEVIATION = np.array([[0.485, 0.456, 0.406], [0.229, 0.224, 0.225]], np.float32)
FOCAL_OF_METRES = 300.0
"""The focal length (px) with which the metric model's depths are metres."""
SKY = 0.3
MISSING = (
    "Depth Anything 3 is not installed: `./run perception` has it; elsewhere, since it asks for old packages that it "
    "does not need, `pip install --no-deps depth-anything-3==0.1.1` and `pip install addict einops omegaconf`"
)


def load(placement: Placement) -> "DepthAnything3":
    """Load a model of many views from a folder."""
    return DepthAnything3(_loaded(placement), placement.device)


def load_meter(placement: Placement) -> "DepthAnything3Meter":
    """Load the metric model from a folder."""
    return DepthAnything3Meter(_loaded(placement), placement.device)


def configuration(preset: str) -> Any:  # noqa: ANN401 - of omegaconf
    """Return what a network of the publisher is made of, without the parts that draw."""
    try:
        configs, presets = import_module("depth_anything_3.cfg"), import_module("depth_anything_3.registry")
        import_module("depth_anything_3.utils.logger").logger.level = 0  # it prints a line for each call
    except ImportError as error:
        raise ModelError(MISSING) from error
    if preset not in presets.MODEL_REGISTRY:
        raise ModelError(f"Depth Anything 3 has no model {preset}; it has {', '.join(presets.MODEL_REGISTRY)}")
    found = configs.load_config(presets.MODEL_REGISTRY[preset])
    for part in ("gs_head", "gs_adapter"):
        found.get("anyview", found).pop(part, None)
    return found


def network(made_of: Any) -> Any:  # noqa: ANN401
    """Return a network with random weights."""
    return import_module("depth_anything_3.cfg").create_object(made_of)


def _loaded(placement: Placement) -> Any:  # noqa: ANN401
    whole = torch.nn.Module()  # of which the publisher's names are
    try:
        preset = json.loads((placement.folder / "config.json").read_bytes())["model_name"]
        whole.model = network(configuration(preset))
        missing, _ = safe_tensors.load_model(whole, placement.folder / "model.safetensors", strict=False)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{placement.folder} has no weights of Depth Anything 3: {error}") from error
    if missing:
        parts = f"{len(missing)} parts of {preset}, such as {min(missing)}"
        raise ModelError(f"the weights in {placement.folder} lack {parts}")
    return whole.model


class _Network:
    """A network in half precision on a GPU, but for its geometry."""

    def __init__(self, net: Any, device: str) -> None:  # noqa: ANN401
        self.net, self._device = net.to(device).eval(), device

    def seen(self, scenes: Sequence[Sequence[Bytes]]) -> Any:  # noqa: ANN401
        """Return the answer about scenes of equally many pictures of one size."""
        pixels = torch.from_numpy(np.stack([[_prepared(each) for each in scene] for scene in scenes]))
        half = torch.autocast(self._device, half_precision(self._device), enabled=self._device.startswith("cuda"))
        with inference(), half:
            return self.net(pixels.to(self._device))


class DepthAnything3(_Network):
    """Up to 64 pictures of a scene. Without an own metric part, as the nested models have, its unit is any."""

    max_views = MAX_VIEWS

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the cameras of each scene, in one forward pass, but for nested models: they mix scenes' scales."""
        batches = [[each] for each in scenes] if hasattr(self.net, "da3_metric") else [scenes]
        return [found for batch in batches for found in self._cameras(batch)]

    def _cameras(self, scenes: Sequence[Views]) -> list[Cameras]:
        out = self.seen([scene.pictures for scene in scenes])
        parts = zip(*(_array(out[name]) for name in ("depth", "depth_conf", "extrinsics", "intrinsics")), strict=True)
        size = scenes[0].pictures[0].shape[:2]
        found = [
            cameras_of(depth, np.nan_to_num(1 - 1 / sure), poses, matrices, size)
            for depth, sure, poses, matrices in parts
        ]
        return [replace(each, is_metric=bool(out.get("is_metric"))) for each in found]


class DepthAnything3Meter(_Network):
    """Metres of single pictures whose focal length is known."""

    def depths(self, pictures: Sequence[Bytes], focal_px: Sequence[float]) -> Depths:
        """Return depths (n, h, w), 0 in the sky."""
        out = self.seen([pictures])
        depth, size = _array(out["depth"])[0], pictures[0].shape[:2]
        seen_px = np.array(focal_px) * depth.shape[2] / size[1]
        depth = np.where(_array(out["sky"])[0] < SKY, depth, 0) * seen_px[:, None, None] / FOCAL_OF_METRES
        return depth[:, *nearest_of(depth.shape[1:], size)].astype(np.float32)


def _prepared(picture: Bytes) -> Floats:
    """Return a picture (3, h, w) as the model sees it."""
    height, width = picture.shape[:2]
    scale = LONGEST_PX / max(height, width)
    columns, rows = (max(PATCH, round(edge * scale / PATCH) * PATCH) for edge in (width, height))
    resized = Image.fromarray(picture).resize(
        (columns, rows), Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC
    )
    normal = (np.asarray(resized, np.float32) / 255 - MEAN) / DEVIATION
    return normal.transpose(2, 0, 1)


def _array(tensor: Any) -> Any:  # noqa: ANN401
    return tensor.float().cpu().numpy()
