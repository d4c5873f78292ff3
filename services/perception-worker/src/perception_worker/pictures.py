"""Pictures on their way in and out: PNG files, checked before they are sent anywhere."""

from io import BytesIO

from contracts.models.questions.frames import FrameRef
from PIL import Image, UnidentifiedImageError
from spatial.arrays import Bytes

from perception_worker.results import RefusedError


def png(pixels: Bytes) -> bytes:
    """Return pixels (h, w, 3) as a PNG."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, format="PNG", compress_level=1)
    return file.getvalue()


def checked_picture(data: bytes, frame: FrameRef) -> bytes:
    """Return a picture's file if it can be read and has the size of its frame; raise `RefusedError`."""
    try:
        with Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
            size = picture.size
            if size == (frame.width_px, frame.height_px):
                picture.load()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise RefusedError(
            "image_unreadable", f"the picture of frame {frame.frame_index} cannot be read: {error}"
        ) from error
    if size != (frame.width_px, frame.height_px):
        raise RefusedError(
            "image_unreadable",
            f"the picture of frame {frame.frame_index} is {size[0]} x {size[1]} px, "
            f"not {frame.width_px} x {frame.height_px}",
        )
    return data
