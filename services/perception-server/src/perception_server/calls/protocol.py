"""Calls as perception-worker sends them. What does not fit is refused before any picture is decoded."""

import binascii
from base64 import b64decode
from collections.abc import Sequence
from io import BytesIO
from typing import Annotated, Literal, Self, TypeAlias

import numpy as np
from contracts.events.perception import (
    MAX_PROMPTS,
    MAX_RECONSTRUCTED_FRAMES,
    MAX_TRACKED_FRAMES,
    BoxPrompt,
    PointsPrompt,
    Prompt,
)
from PIL import Image
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    TypeAdapter,
    model_validator,
)
from spatial.arrays import Bytes

PROTOCOL_VERSIONS = (1, 2)
MAX_PICTURE_PIXELS = 16_000_000
FORMATS = ("PNG", "JPEG")


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def _decoded(value: object) -> object:
    """Return the bytes of base64; other values than text are left to pydantic."""
    if not isinstance(value, str):
        return value
    try:
        return b64decode(value, validate=True)
    except binascii.Error as error:
        raise ValueError(f"it is not base64: {error}") from error


EncodedPicture: TypeAlias = Annotated[bytes, BeforeValidator(_decoded)]
"""A PNG or JPEG."""


class _Pictures(_Strict):
    images: Annotated[tuple[EncodedPicture, ...], Field(min_length=1, max_length=MAX_TRACKED_FRAMES)]
    frame_indices: tuple[NonNegativeInt, ...]

    @model_validator(mode="after")
    def _require_one_size(self) -> Self:
        sizes = {_size(picture) for picture in self.images}
        if len(sizes) > 1:
            raise ValueError(f"the pictures have several sizes, {sorted(sizes)}; send those of one size")
        if len(self.frame_indices) != len(self.images):
            raise ValueError(f"{len(self.images)} pictures have {len(self.frame_indices)} frame_indices")
        return self

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of all pictures."""
        return _size(self.images[0])

    @property
    def pixels(self) -> int:
        """Return the pixels of all pictures."""
        width, height = self.size
        return len(self.images) * width * height


class ReconstructArguments(_Pictures):
    """Pictures of one scene."""

    align: Literal["ground", "sim"]

    @model_validator(mode="after")
    def _require_possible(self) -> Self:
        if self.align == "sim":
            raise ValueError("align='sim' is the frame of a simulated scene, which pictures do not show: use 'ground'")
        if len(self.images) > MAX_RECONSTRUCTED_FRAMES:
            raise ValueError(f"at most {MAX_RECONSTRUCTED_FRAMES} pictures, not {len(self.images)}")
        return self


class SegmentArguments(_Pictures):
    """Pictures and prompts, which refer to the picture at position `prompt_frame`."""

    prompts: Annotated[tuple[Prompt, ...], Field(min_length=1, max_length=MAX_PROMPTS)]
    prompt_frame: NonNegativeInt
    confidence_threshold: Annotated[float, Field(ge=0, le=1)]

    @model_validator(mode="after")
    def _require_prompts_inside(self) -> Self:
        if self.prompt_frame >= len(self.images):
            raise ValueError(f"prompt_frame {self.prompt_frame} is beyond the last of {len(self.images)} pictures")
        for prompt in self.prompts:
            _check_inside(prompt, *self.size)
        return self


class DetectArguments(SegmentArguments):
    """One picture and one prompt."""

    @model_validator(mode="after")
    def _require_one(self) -> Self:
        if len(self.images) != 1 or len(self.prompts) != 1:
            raise ValueError("detect takes one picture and one prompt; segment_video takes several")
        return self


class _Call(_Strict):
    version: Literal[1]
    answer_version: Literal[1, 2] = 1
    """Version 2 has masks as bits and confidence as bytes."""


class ReconstructCall(_Call):
    """Asks for depth and cameras."""

    deployment: Literal["spatial_Reconstruct"]
    method: Literal["reconstruct"]
    kwargs: ReconstructArguments
    focal_px: tuple[PositiveFloat | None, ...] = ()
    """Of each picture, as photos state it; empty if none does."""

    @model_validator(mode="after")
    def _require_one_each(self) -> Self:
        if self.focal_px and len(self.focal_px) != len(self.kwargs.images):
            raise ValueError(f"{len(self.kwargs.images)} pictures have {len(self.focal_px)} focal_px")
        return self


class DetectCall(_Call):
    """Asks for masks in a picture."""

    deployment: Literal["spatial_SAM3"]
    method: Literal["detect"]
    kwargs: DetectArguments


class SegmentVideoCall(_Call):
    """Asks for masks in a video."""

    deployment: Literal["spatial_SAM3"]
    method: Literal["segment_video"]
    kwargs: SegmentArguments


Call: TypeAlias = ReconstructCall | DetectCall | SegmentVideoCall
CALL: TypeAdapter[Call] = TypeAdapter(Annotated[Call, Field(discriminator="method")])


def pictures_of(encoded: Sequence[bytes]) -> tuple[Bytes, ...]:
    """Return pictures as (h, w, 3); raise `ValueError` if one is damaged."""
    return tuple(_pixels(each, position) for position, each in enumerate(encoded))


def _pixels(encoded: bytes, position: int) -> Bytes:
    try:
        with Image.open(BytesIO(encoded), formats=FORMATS) as picture:
            return np.array(picture.convert("RGB"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"picture {position} is damaged: {error}") from error


def _size(encoded: bytes) -> tuple[int, int]:
    try:
        with Image.open(BytesIO(encoded), formats=FORMATS) as picture:
            width, height = picture.size
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"a picture is neither PNG nor JPEG: {error}") from error
    if width * height > MAX_PICTURE_PIXELS:
        raise ValueError(f"a picture of {width} x {height} px has more than {MAX_PICTURE_PIXELS} pixels")
    return width, height


def _check_inside(prompt: Prompt, width: int, height: int) -> None:
    points: tuple[tuple[float, float], ...] = ()
    if isinstance(prompt, BoxPrompt):
        x1, y1, x2, y2 = prompt.box
        if not (x1 < x2 and y1 < y2):
            raise ValueError(f"the box {prompt.box} is empty: x1 < x2 and y1 < y2")
        points = ((max(x1, 0), max(y1, 0)), (min(x2, width - 1), min(y2, height - 1)))
    elif isinstance(prompt, PointsPrompt):
        points = (*prompt.foreground, *prompt.background)
    for u, v in points:
        if not (-0.5 <= u <= width - 0.5 and -0.5 <= v <= height - 0.5):
            raise ValueError(f"({u:g}, {v:g}) is outside the picture of {width} x {height} px")
