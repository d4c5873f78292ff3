"""Pictures as data URLs: re-encoded, so that a report has dozens of them."""

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import ClassVar

from artifacts.port import ArtifactError, ArtifactStore
from contracts.models.artifact import ArtifactRef, Sha256
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


@dataclass(frozen=True)
class Pictures:
    """A block of a report: pictures that are in it."""

    kind: ClassVar = "pictures"
    pictures: tuple[EmbeddedPicture, ...]
    absent: tuple[str, ...] = ()
    """Captions of those that are not, with the reason."""
    title: str = ""


class PictureAlbum:
    """Fetches and encodes the pictures of a report; each is embedded once."""

    def __init__(self, artifacts: ArtifactStore, room: FileRoom) -> None:
        self._artifacts, self.room = artifacts, room
        self._shown: set[Sha256] = set()

    async def embed(self, figures: Sequence[tuple[ArtifactRef, str]], title: str = "") -> Pictures:
        """Return the pictures that can be read and fit; others by their captions."""
        found = [await self._picture(ref, caption) for ref, caption in figures]
        pictures = tuple(each for each in found if isinstance(each, EmbeddedPicture))
        return Pictures(pictures, tuple(each for each in found if isinstance(each, str)), title)

    async def _picture(self, ref: ArtifactRef, caption: str) -> EmbeddedPicture | str:
        if ref.sha256 in self._shown:
            return f"{caption}: shown above"
        try:
            url, width_px, height_px = await asyncio.to_thread(_encoded, await self._artifacts.get(ref))
        except (ArtifactError, UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError):
            self.room.left_out["unreadable picture"] = self.room.left_out.get("unreadable picture", 0) + 1
            return f"{caption}: not readable"
        if not self.room.takes("picture", len(url)):
            return f"{caption}: left out, the file would be too large"
        self._shown.add(ref.sha256)
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
