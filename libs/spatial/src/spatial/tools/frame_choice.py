"""How tools take frames: images, slices of `InputImages`, or absolute indices."""

import operator
from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

import numpy as np

from spatial.frames import InputImage, InputImages

Chosen: TypeAlias = InputImage | InputImages | Sequence[InputImage]


class FrameChoice:
    """Turns what a cell passes into images of the question."""

    def __init__(self, images: InputImages) -> None:
        self._images = images

    def many(self, frames: object = None, frame_indices: Iterable[int] | None = None, limit: int = 64) -> InputImages:
        """Return images by themselves or by absolute indices; raise `TypeError` or `ValueError` with the idiom."""
        chosen = InputImages(self._given(frames))
        if frame_indices is not None:
            chosen = InputImages([chosen.at(int(index)) for index in sorted({int(each) for each in frame_indices})])
        if not len(chosen):
            raise ValueError("there are no frames; pass InputImages or a slice of it")
        if len(chosen) > limit:
            stride = -(-len(chosen) // limit)
            raise ValueError(f"{len(chosen)} frames are too many, at most {limit}: pass InputImages[::{stride}]")
        return chosen

    def one(self, image: object) -> InputImage:
        """Return one image, given as itself or by its absolute index."""
        if isinstance(image, InputImage):
            return image
        if isinstance(image, int | np.integer) and not isinstance(image, bool):
            return self._images.at(operator.index(cast("int", image)))
        if isinstance(image, InputImages) and len(image) == 1:
            return image[0]
        raise TypeError(
            f"expected one image such as InputImages[0], got {type(image).__name__}; crops and drawings have no scene "
            "or camera, so segment the whole image and combine masks instead"
        )

    def _given(self, frames: object) -> Sequence[InputImage]:
        if frames is None:
            return self._images
        if isinstance(frames, InputImage):
            return (frames,)
        if isinstance(frames, InputImages):
            return frames
        if isinstance(frames, Iterable):
            return [self.one(each) for each in cast("Iterable[object]", frames)]
        raise TypeError(f"expected InputImages or a slice of it, such as InputImages[::4], got {type(frames).__name__}")
