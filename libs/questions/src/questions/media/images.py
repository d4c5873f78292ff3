"""Images as frames: checked before they are decoded, and scaled down."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import BytesIO

from contracts.models.questions.question import FrameChoice
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError
from pydantic import BaseModel, PositiveInt

MEGAPIXEL = 1_000_000
FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
ANIMATED = ("PNG", "WEBP", "GIF")
"""Formats whose further images are frames; a JPEG of a telephone has others."""
FILM_DIAGONAL_MM = math.hypot(36, 24)
"""Focal lengths of 35 mm film refer to it (CIPA DCG-001)."""


class MediaUnreadableError(ValueError):
    """An image or a video cannot be used; the message names it, what is wrong and what to do."""


class MediaTypeError(MediaUnreadableError):
    """A file is not what it should be at all: not an image, or not a video."""


class MediaTooLargeError(MediaUnreadableError):
    """There are more images, or pixels to decode, than allowed."""


class SamplingOptions(BaseModel):
    """How images and videos become frames; recorded with the question."""

    max_edge_px: PositiveInt = 768
    """Longer edges are scaled down to this."""
    max_frames: PositiveInt = 32
    """Frames that are sampled from a video."""
    frame_choice: FrameChoice = "even"
    """`key`: of a long video those at which it changes."""
    question: str = ""
    """Whose named times are among the key frames."""
    max_megapixels: PositiveInt = 50
    """Images and videos with more pixels are refused."""
    max_images: PositiveInt = 64


@dataclass(frozen=True)
class SampledFrame:
    """One frame, ready to be stored."""

    frame_index: int
    """Absolute: in the video, or in the order of the images."""
    time_s: float | None
    png: bytes
    width_px: int
    height_px: int
    reason: str = ""
    """Why it was chosen, if it is a key frame."""
    focal_px: float | None = None
    """That its EXIF data state."""


@dataclass(frozen=True)
class SampledMedia:
    """The frames of a question's images or video."""

    frames: tuple[SampledFrame, ...]
    options: SamplingOptions
    is_video: bool = False
    fps: float | None = None
    total_frames: int = 0
    """Of the video, or the number of images."""
    frame_choice: FrameChoice = "even"
    """How its frames were chosen."""
    notes: str = ""
    """Which frames are of which video, if there are several."""


def load_images(files: Sequence[tuple[str, bytes]], options: SamplingOptions | None = None) -> SampledMedia:
    """Return images, each a name and a file's content, as frames in their order; raise `MediaUnreadableError`."""
    chosen = options or SamplingOptions()
    if not files:
        raise MediaUnreadableError("there are no images: give at least one image or a video")
    if len(files) > chosen.max_images:
        raise MediaTooLargeError(f"{len(files)} images are too many, at most {chosen.max_images}")
    frames = [_photo(name, data, index, chosen) for index, (name, data) in enumerate(files)]
    return SampledMedia(tuple(frames), chosen, total_frames=len(frames))


def frame_of(image: Image.Image, frame_index: int, time_s: float, options: SamplingOptions) -> SampledFrame:
    """Return a decoded frame of a video, scaled down."""
    return _encoded(image, frame_index, time_s, options)


def require_size(name: str, width: int, height: int, options: SamplingOptions) -> None:
    """Raise `MediaUnreadableError` for more pixels than allowed; nothing is decoded for that."""
    megapixels = width * height / MEGAPIXEL
    if megapixels > options.max_megapixels:
        raise MediaTooLargeError(
            f"{name} has {megapixels:.0f} megapixels ({width} x {height}), at most {options.max_megapixels} are read; "
            f"scale it down, to {options.max_edge_px} px or more along its longer edge"
        )


def _photo(name: str, data: bytes, index: int, options: SamplingOptions) -> SampledFrame:
    image, film_mm = _decoded(name, data, options)
    frame = _encoded(image, index, None, options)
    if film_mm is None:
        return frame
    return replace(frame, focal_px=film_mm / FILM_DIAGONAL_MM * math.hypot(frame.width_px, frame.height_px))


def _film_mm(image: Image.Image) -> float | None:
    """Return the focal length as of 35 mm film that a photo states; 0 means that it is not known."""
    stated: object = image.getexif().get_ifd(ExifTags.IFD.Exif).get(ExifTags.Base.FocalLengthIn35mmFilm)
    return float(stated) if isinstance(stated, int | float) and 0 < stated < math.inf else None


def _decoded(name: str, data: bytes, options: SamplingOptions) -> tuple[Image.Image, float | None]:
    """Return a photo as it is seen, and its focal length as of 35 mm film."""
    try:
        with open_image(name, data, options) as image:
            require_size(name, image.width, image.height, options)
            if image.format in ANIMATED and getattr(image, "is_animated", False):
                raise MediaUnreadableError(f"{name} is animated; give one of its frames, or all of them as a video")
            return _opaque(_in_8_bits(ImageOps.exif_transpose(image))), _film_mm(image)
    except MediaUnreadableError:
        raise
    except (OSError, SyntaxError, ValueError) as error:
        raise MediaUnreadableError(f"{name} cannot be read as an image ({error}); give a PNG or JPEG") from error


def _in_8_bits(image: Image.Image) -> Image.Image:
    """Return a grey image of 16 bits with 8; Pillow would clip its values at 255."""
    return image.point(lambda value: value / 257, "L") if image.mode.startswith("I;16") else image


def _opaque(image: Image.Image) -> Image.Image:
    """Return an image in RGB, on white where it is transparent: hidden colours are not meant to be seen."""
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def open_image(name: str, data: bytes, options: SamplingOptions) -> Image.Image:
    """Return an image of which only the header was read; Pillow's warning about its size is stricter here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            return Image.open(BytesIO(data), formats=FORMATS)
        except UnidentifiedImageError as error:
            raise MediaTypeError(f"{name} is not a {', '.join(FORMATS[:-1])} or {FORMATS[-1]}; give one") from error
        except Image.DecompressionBombError as error:
            raise MediaTooLargeError(
                f"{name} has more than the {options.max_megapixels} megapixels that are read; scale it down"
            ) from error


def _encoded(image: Image.Image, frame_index: int, time_s: float | None, options: SamplingOptions) -> SampledFrame:
    scale = options.max_edge_px / max(image.size)
    if scale < 1:
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        image = image.resize(size, Image.Resampling.LANCZOS)
    file = BytesIO()
    image.save(file, format="PNG", compress_level=3)
    return SampledFrame(frame_index, time_s, file.getvalue(), image.width, image.height)
