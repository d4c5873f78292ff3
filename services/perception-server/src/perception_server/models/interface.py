"""What an adapter is: a card that is known without its libraries, and a model that is loaded with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Literal, Protocol, TypeAlias

import numpy as np
from contracts.events.perception import Prompt
from numpy.typing import NDArray
from spatial.arrays import Bools, Bytes, Floats

Task = Literal["reconstruct", "scale", "segment", "find"]
"""`scale`: metres for a model that reconstructs up to scale; `find`: boxes of texts for a model that segments boxes."""
Depths = NDArray[np.float32]


class OutOfMemoryError(Exception):
    """The device has not enough memory for a batch."""


class ModelError(Exception):
    """A model cannot be used; the message names the fix."""


class AbandonedError(Exception):
    """The client has left while its request was in work."""


@dataclass(frozen=True)
class ModelCard:
    """A model's weights and where they come from."""

    name: str
    task: Task
    repository: str
    """On the hub, such as `facebook/sam3`."""
    revision: str
    """A branch, tag or commit; `fetch` records the commit."""
    licence: str
    """Of the weights, as their publisher states it."""
    is_commercial: bool
    """Whether that licence permits commercial use."""


@dataclass(frozen=True)
class Placement:
    """Where a model is loaded from, and where it runs."""

    folder: Path
    device: str
    """Such as `cuda` or `cpu`."""
    fov_deg: float
    """Horizontal field of view of pictures, for models that do not estimate it."""


@dataclass(frozen=True)
class Views:
    """Pictures of one scene, of one size, (h, w, 3) each."""

    pictures: tuple[Bytes, ...]
    focal_px: tuple[float | None, ...] = ()
    """Of each picture, as photos state it; empty if none does."""


@dataclass(frozen=True)
class Cameras:
    """What a model knows of n views, in the world of its own choice."""

    depth: Depths
    """(n, h, w), in m times `metric_scale`, along the camera's z axis, at the size of the pictures"""
    confidence: Depths
    """(n, h, w), 0..1"""
    intrinsics: Floats
    """(n, 4): fx, fy, cx, cy in pixels of the pictures; pixel (0, 0) is the centre of the first one"""
    extrinsics: Floats
    """(n, 4, 4), camera to world, x right, y down, z forward"""
    metric_scale: float = 1.0
    is_metric: bool = True
    """False: the unit is any."""
    notes: tuple[str, ...] = ()
    """What the scale is worth, and what is missing."""


@dataclass(frozen=True)
class Prompted:
    """Pictures of one size, and what to find in them."""

    pictures: tuple[Bytes, ...]
    prompts: tuple[Prompt, ...]
    prompt_frame: int
    threshold: float
    is_wanted: Callable[[], bool] = lambda: True
    """Whether the client still waits; asked between the frames of a video, from the model's thread."""


@dataclass(frozen=True)
class FoundObjects:
    """Masks of k objects in n pictures."""

    bits: Bytes
    """(n, k, ceil(h * w / 8)), as of `numpy.packbits`: of 1,000 frames, nothing larger would fit into memory"""
    labels: tuple[str, ...]
    prompts: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class FoundBox:
    """Where something is in a picture: x1, y1, x2, y2."""

    box: tuple[float, float, float, float]
    score: float


def packed(masks: Bools) -> Bytes:
    """Return masks (…, h, w) as bits (…, ceil(h * w / 8))."""
    flat = masks.reshape(*masks.shape[:-2], masks.shape[-2] * masks.shape[-1])
    return np.packbits(flat, axis=-1)


class Reconstructor(Protocol):
    """Finds depth and cameras."""

    max_views: int

    def reconstruct(self, scenes: Sequence[Views]) -> list[Cameras]:
        """Return the cameras of each scene; all pictures have one size. Raises `OutOfMemoryError`."""
        ...


class Meter(Protocol):
    """Measures single pictures, for the scale of scenes that have none."""

    def depths(self, pictures: Sequence[Bytes], focal_px: Sequence[float]) -> Depths:
        """Return depths (n, h, w) in m of n pictures of one size, 0 where there is none. Raises `OutOfMemoryError`."""
        ...


class Segmenter(Protocol):
    """Finds masks of objects."""

    takes_texts: bool

    def detect(self, requests: Sequence[Prompted]) -> list[FoundObjects]:
        """Return the objects of each request, which has one picture. Raises `OutOfMemoryError`."""
        ...

    def track(self, request: Prompted) -> FoundObjects:
        """Return the objects of a video under the same positions in all frames.

        Raises `OutOfMemoryError`, and `AbandonedError` once the request is not wanted.
        """
        ...


class Finder(Protocol):
    """Finds boxes of what texts name."""

    def boxes(self, pictures: Sequence[Bytes], texts: Sequence[str]) -> list[list[FoundBox]]:
        """Return for each picture the boxes of its text, the surest first. Raises `OutOfMemoryError`."""
        ...


Model: TypeAlias = Reconstructor | Meter | Segmenter | Finder


@dataclass(frozen=True)
class Adapter:
    """A card, and what loads its model."""

    card: ModelCard
    target: str
    """`module:function`, from `Placement` to the model. The module imports what the model needs."""

    def load(self, placement: Placement) -> Model:
        """Return the model with its weights; raise `ModelError`."""
        loader: Callable[[Placement], Model] = resolve_name(self.target)
        return loader(placement)
