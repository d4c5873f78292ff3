"""Pictures as data URLs: re-encoded, so that a report has dozens of them."""

import asyncio
from base64 import b64encode
from dataclasses import dataclass
from io import BytesIO

from artifacts.port import ArtifactError, ArtifactStore
from contracts.models.artifact import ArtifactRef
from PIL import Image, UnidentifiedImageError

from run_report.budget import FileRoom

MOST_PX = 1000
"""Of the longer side; a sheet of views stays legible."""
QUALITY, EFFORT = 74, 2
"""Of WebP; more effort takes three times the CPU for a tenth of the size."""
MOST_SOURCE_PIXELS = 30_000_000


@dataclass(frozen=True)
class EmbeddedPicture:
    """A picture in a report."""

    caption: str
    url: str
    """A data URL."""
    width_px: int
    height_px: int


class PictureAlbum:
    """Fetches and encodes the pictures of a report; each is embedded once."""

    def __init__(self, artifacts: ArtifactStore, budget: FileRoom) -> None:
        self._artifacts, self._budget = artifacts, budget
        self._encoded: dict[str, tuple[str, int, int] | None] = {}

    async def picture(self, ref: ArtifactRef, caption: str) -> EmbeddedPicture | None:
        """Return a picture; None if it does not fit into the report, is already in it, or cannot be read."""
        if ref.sha256 in self._encoded:
            return None
        self._encoded[ref.sha256] = None
        try:
            encoded = await asyncio.to_thread(_encoded, await self._artifacts.get(ref))
        except (ArtifactError, UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
            self._budget.left_out["unreadable picture"] = self._budget.left_out.get("unreadable picture", 0) + 1
            return None
        url, width_px, height_px = encoded
        if not self._budget.takes("picture", len(url)):
            return None
        return EmbeddedPicture(caption, url, width_px, height_px)


def _encoded(data: bytes) -> tuple[str, int, int]:
    """Return data URL, width and height."""
    with Image.open(BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
        if image.width * image.height > MOST_SOURCE_PIXELS:
            raise ValueError(f"{image.width} x {image.height} pixels are too many")
        image.thumbnail((MOST_PX, MOST_PX))
        file = BytesIO()
        image.convert("RGB").save(file, "WEBP", quality=QUALITY, method=EFFORT)
        return f"data:image/webp;base64,{b64encode(file.getvalue()).decode()}", image.width, image.height
