"""The input of a question: `InputImages` and `Metadata`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import SupportsIndex, overload

import numpy as np
from contracts.models.questions.frames import FrameRef
from PIL import Image

from spatial.arrays import Bytes


@dataclass(frozen=True)
class InputImage:
    """One image or frame, decoded when its pixels are first read."""

    ref: FrameRef
    encoded: bytes = field(repr=False)
    """PNG or JPEG."""

    @property
    def frame_index(self) -> int:
        """Return the absolute index of the frame."""
        return self.ref.frame_index

    @property
    def time_s(self) -> float | None:
        """Return the time in the video; None for an image."""
        return self.ref.time_s

    @property
    def width(self) -> int:
        """Return the width in pixels."""
        return self.ref.width_px

    @property
    def height(self) -> int:
        """Return the height in pixels."""
        return self.ref.height_px

    @cached_property
    def pixels(self) -> Bytes:
        """Return the picture as an array (height, width, 3) of uint8."""
        with Image.open(BytesIO(self.encoded)) as picture:
            pixels = np.asarray(picture.convert("RGB"))
        pixels.flags.writeable = False
        return pixels

    @property
    def image(self) -> Image.Image:
        """Return a copy as a PIL image, to draw on or to crop."""
        return Image.fromarray(self.pixels)

    def __repr__(self) -> str:
        """Teach how to use it."""
        when = "" if self.time_s is None else f", time_s={self.time_s:.2f}"
        return (
            f"InputImage(frame_index={self.frame_index}, {self.width} x {self.height} px{when})\n"
            "  .pixels (h, w, 3) uint8, .image for PIL; show(image) displays it"
        )


class InputImages(Sequence[InputImage]):
    """The images of a question, by position; `at` finds one by its absolute frame index."""

    def __init__(self, images: Sequence[InputImage]) -> None:
        """Keep the images in ascending order of their frame indices, which must differ."""
        indices = [image.frame_index for image in images]
        if indices != sorted(set(indices)):
            raise ValueError(f"frame indices must ascend, got {indices}")
        self._images = tuple(images)

    @property
    def frame_indices(self) -> tuple[int, ...]:
        """Return the absolute indices, in order."""
        return tuple(image.frame_index for image in self._images)

    def at(self, frame_index: int) -> InputImage:
        """Return the image with this absolute frame index; raise `KeyError` with those that exist."""
        for image in self._images:
            if image.frame_index == frame_index:
                return image
        raise KeyError(missing_frame(frame_index, self.frame_indices, "InputImages.at"))

    @overload
    def __getitem__(self, key: SupportsIndex) -> InputImage: ...
    @overload
    def __getitem__(self, key: slice) -> "InputImages": ...
    def __getitem__(self, key: SupportsIndex | slice) -> "InputImage | InputImages":
        """Return one image by position, or several, such as every fourth: `InputImages[::4]`."""
        if isinstance(key, slice):
            return InputImages(self._images[key])
        if not -len(self._images) <= int(key) < len(self._images):
            raise IndexError(
                f"there are {len(self._images)} images; InputImages.at(frame_index) finds one by its frame"
            )
        return self._images[key]

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self._images)

    def __iter__(self) -> Iterator[InputImage]:
        """Yield the images in order."""
        return iter(self._images)

    def __repr__(self) -> str:
        """Teach how to use it."""
        return (
            f"InputImages({len(self)} images, frame_indices={range_text(self.frame_indices)})\n"
            "  InputImages[0] by position, InputImages.at(frame_index) by frame, InputImages[::4] keeps every fourth"
        )


@dataclass(frozen=True)
class VideoMetadata:
    """What is known of the input besides its pixels; `Metadata` in a cell."""

    num_images: int
    is_video: bool = False
    fps: float | None = None
    """Frames per second of the video that the frames were sampled from."""
    total_frames: int | None = None
    """Of that video."""
    width: int = 0
    height: int = 0
    """Of the images, in pixels."""
    notes: str = ""
    """What is known besides: of the film of a run, what was recorded when."""

    @property
    def duration_sec(self) -> float | None:
        """Return the length of the video; None for images."""
        return None if self.fps is None or self.total_frames is None else self.total_frames / self.fps

    def __repr__(self) -> str:
        """Teach how to use it."""
        if not self.is_video:
            return f"Metadata({self.num_images} images of {self.width} x {self.height} px, no video)"
        return (
            f"Metadata(video of {self.duration_sec:.2f} s: {self.total_frames} frames at fps={self.fps:g}, of which "
            f"{self.num_images} were sampled)\n  seconds = frame_index / Metadata.fps, as tools.Time.frame_to_seconds"
        )


def range_text(indices: Sequence[int]) -> str:
    """Return indices in brief: all of up to twelve, else the first and last five."""
    if len(indices) <= 12:
        return f"[{', '.join(map(str, indices))}]"
    return f"[{', '.join(map(str, indices[:5]))}, ..., {', '.join(map(str, indices[-5:]))}]"


def missing_frame(frame_index: object, available: Sequence[int], access: str) -> str:
    """Return why there is nothing at an index, and what was probably meant."""
    text = f"there is no frame {frame_index}; {access} takes ABSOLUTE frame indices: {range_text(available)}."
    if isinstance(frame_index, SupportsIndex) and 0 <= frame_index.__index__() < len(available):
        return f"{text} Did you mean position {frame_index}, which is frame {available[frame_index.__index__()]}?"
    return text
