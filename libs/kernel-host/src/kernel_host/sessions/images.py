"""Images of a session's cells: decoded and encoded again, stored as artifacts, limited in number."""

import asyncio
import io
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.cell_limits import MAX_CELL_PICTURES, MAX_SESSION_PICTURES
from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted
from contracts.models.observation import ShownImage
from contracts.text import shortened, storable
from PIL import Image, UnidentifiedImageError
from sandbox.channels.image_channel import SentImage

from kernel_host.protocol import ShowAnswer

MAX_REFUSALS = 5
"""Listed in one observation."""
MAX_PIXELS = 16_000_000
"""Decoded; a PNG of a few kilobytes can claim a thousand times as many."""
MAX_EDGE_PX = 1024
"""Larger images are scaled down."""
LABEL_CHARS = 80
_BACKGROUND = (255, 255, 255)


class InvalidImageError(ValueError):
    """The bytes are not an image that can be stored; the message says why."""


@dataclass(frozen=True)
class CleanImage:
    """A PNG that this process has encoded."""

    png: bytes
    width_px: int
    height_px: int


class ImageStore:
    """Stores the images of the running cell, and counts those of the session."""

    def __init__(
        self, artifacts: ArtifactStore, per_session: int = MAX_SESSION_PICTURES, per_cell: int = MAX_CELL_PICTURES
    ) -> None:
        self._artifacts = artifacts
        self._per_session, self._per_cell = per_session, per_cell
        self._earlier = 0
        self._images: list[ShownImage] = []
        self._refused: list[str] = []
        self._by_id: dict[str, ShownImage] = {}

    def load_history(self, history: Iterable[Event], role: Role) -> None:
        """Count the images that the event log has of this session, whichever worker has stored them."""
        cells = [event for event in history if isinstance(event, CellCompleted) and event.role == role]
        shown = [image for cell in cells for image in cell.observation.images]
        self._earlier = len(shown)
        self._by_id = {image.id: image for image in shown if image.id}

    def begin_cell(self) -> None:
        """Start the next cell."""
        self._earlier += len(self._images)
        self._images, self._refused = [], []

    @property
    def images(self) -> tuple[ShownImage, ...]:
        """The images of the cell, in order."""
        return tuple(self._images)

    @property
    def refused(self) -> tuple[str, ...]:
        """The images that the cell could not show, each with the reason."""
        more = len(self._refused) - MAX_REFUSALS
        return (*self._refused[:MAX_REFUSALS], *((f"and {more} more",) if more > 0 else ()))

    @property
    def images_left(self) -> int:
        """How many images the session may still show."""
        return max(0, self._per_session - self._earlier - len(self._images))

    def problem(self) -> str:
        """Return why no further image can be shown now; empty if one can."""
        if self.images_left == 0:
            return f"the session's {self._per_session} pictures are used up; print what you need to know"
        if len(self._images) >= self._per_cell:
            return f"a cell shows at most {self._per_cell} pictures; show the others in another cell"
        return ""

    async def add_all(self, sent: Iterable[SentImage], left_out: int) -> None:
        """Store the images that a kernel drew by itself."""
        for each in sent:
            await self.add(each.png, each.label)
        if left_out:
            self._refused.append(f"{left_out} pictures more than one cell may send")

    async def add(self, png: bytes, label: str, verdict: str = "", shows: str = "") -> str:
        """Store an image, its label prefixed with a verdict if there is one; return why not, or an empty text.

        `shows`: what a model that looks at it must know.
        """
        name = ": ".join(clean_label(text) for text in (verdict, label) if text)
        problem = self.problem()
        if not problem:
            try:
                image = await asyncio.to_thread(clean_image, png)
            except InvalidImageError as error:
                problem = clean_label(str(error))
            else:
                await self._store(image, name, shows)
                return ""
        self._refused.append(f"{name}: {problem}")
        return problem

    def recall(self, image_id: str) -> ShowAnswer:
        """Show an image of an earlier cell again; it counts as one more."""
        if problem := self.problem():
            return ShowAnswer(note=problem)
        image = self._by_id.get(image_id)
        if image is None:
            known = f"picture-1 to picture-{len(self._by_id)}" if self._by_id else "none yet"
            return ShowAnswer(problem=f"this session has no picture {clean_label(image_id)!r}; it has {known}")
        if image not in self._images:
            self._images.append(image)
        return ShowAnswer()

    async def _store(self, image: CleanImage, label: str, shows: str) -> None:
        artifact = await self._artifacts.put(image.png, "image/png")
        image_id = f"picture-{len(self._by_id) + 1}"
        size = {"width_px": image.width_px, "height_px": image.height_px}
        shown = ShownImage(label=label, artifact=artifact, id=image_id, shows=shows, **size)
        self._by_id[image_id] = shown
        self._images.append(shown)


def clean_image(sent: bytes) -> CleanImage:
    """Return the pixels of an untrusted PNG as RGB on white, and nothing else of it; raise `InvalidImageError`."""
    try:
        with warnings.catch_warnings(), Image.open(io.BytesIO(sent), formats=("PNG",)) as image:
            warnings.simplefilter("error")  # Pillow warns of decompression bombs
            if image.width * image.height > MAX_PIXELS:
                raise InvalidImageError(f"{image.width} x {image.height} pixels are too many; at most {MAX_PIXELS}")
            colored = image.convert("RGBA")
    except UnidentifiedImageError as error:
        raise InvalidImageError("it is not a PNG") from error
    except (OSError, SyntaxError, ValueError, Warning, Image.DecompressionBombError) as error:
        raise InvalidImageError(f"the PNG cannot be read: {error}") from error
    flat = Image.new("RGB", colored.size, _BACKGROUND)
    flat.paste(colored, mask=colored.getchannel("A"))
    flat.thumbnail((MAX_EDGE_PX, MAX_EDGE_PX))
    file = io.BytesIO()
    flat.save(file, "PNG")
    return CleanImage(file.getvalue(), flat.width, flat.height)


def clean_label(text: str) -> str:
    """Return the text as one short line of printable characters, without Markdown's backquotes."""
    line = " ".join(storable(text).split())
    printable = "".join(each if each.isprintable() and each != "`" else "\ufffd" for each in line)
    return shortened(printable, LABEL_CHARS // 2, LABEL_CHARS // 4) if len(printable) > LABEL_CHARS else printable
