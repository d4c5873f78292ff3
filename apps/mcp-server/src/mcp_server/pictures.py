"""Pictures for a model's context: small in bytes, and not larger than it sees."""

import base64
import io

from mcp.types import ImageContent
from PIL import Image

MAX_PNG_BYTES = 60_000
"""A larger one becomes a JPEG."""
MAX_EDGE_PX = 1024
JPEG_QUALITY = 80


def picture(png: bytes) -> ImageContent:
    """Return a picture that the host has encoded as content of an answer; a few ten kilobytes."""
    if len(png) <= MAX_PNG_BYTES:
        return ImageContent(data=base64.b64encode(png).decode(), mime_type="image/png")
    with Image.open(io.BytesIO(png), formats=("PNG",)) as image:
        small = image.convert("RGB")
    small.thumbnail((MAX_EDGE_PX, MAX_EDGE_PX))
    file = io.BytesIO()
    small.save(file, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return ImageContent(data=base64.b64encode(file.getvalue()).decode(), mime_type="image/jpeg")
