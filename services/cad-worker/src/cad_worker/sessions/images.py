"""The pictures that a session's cells have shown, within bounds."""

import asyncio
from collections.abc import Iterable

from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted
from contracts.models.observation import ShownImage
from sandbox.channels.image_channel import SentImage

from cad_worker.session_protocol import ShowAnswer
from cad_worker.sessions.image_cleaning import UnfitImageError, clean_image, clean_label

MAX_OF_SESSION = 60
MAX_OF_CELL = 8
MAX_REFUSALS = 5
"""Told of one cell."""


class ImageStore:
    """Keeps the pictures of the running cell, and counts those of all."""

    def __init__(self, artifacts: ArtifactStore, of_session: int = MAX_OF_SESSION, of_cell: int = MAX_OF_CELL) -> None:
        self._artifacts = artifacts
        self._of_session, self._of_cell = of_session, of_cell
        self._earlier = 0
        self._images: list[ShownImage] = []
        self._refused: list[str] = []
        self._shown: dict[str, ShownImage] = {}

    def load_history(self, history: Iterable[Event], role: Role) -> None:
        """Count what the log says has been shown, by whichever worker."""
        cells = [event for event in history if isinstance(event, CellCompleted) and event.role == role]
        shown = [image for cell in cells for image in cell.observation.images]
        self._earlier = len(shown)
        self._shown = {image.id: image for image in shown if image.id}

    def begin_cell(self) -> None:
        """Go on to the next cell."""
        self._earlier += len(self._images)
        self._images, self._refused = [], []

    @property
    def images(self) -> tuple[ShownImage, ...]:
        """What the cell has shown, in order."""
        return tuple(self._images)

    @property
    def refused(self) -> tuple[str, ...]:
        """What it could not show, and why."""
        more = len(self._refused) - MAX_REFUSALS
        return (*self._refused[:MAX_REFUSALS], *((f"and {more} more",) if more > 0 else ()))

    @property
    def images_left(self) -> int:
        """How many pictures the session may still show."""
        return max(0, self._of_session - self._earlier - len(self._images))

    def problem(self) -> str:
        """Return why no further picture is taken now; empty if one is."""
        if self.images_left == 0:
            return f"the session's {self._of_session} pictures are used up; print what you need to know"
        if len(self._images) >= self._of_cell:
            return f"a cell shows at most {self._of_cell} pictures; show the others in another cell"
        return ""

    async def add_all(self, sent: Iterable[SentImage], left_out: int) -> None:
        """Keep what a kernel drew by itself."""
        for each in sent:
            await self.add(each.png, each.label)
        if left_out:
            self._refused.append(f"{left_out} pictures more than one cell may send")

    async def add(self, png: bytes, label: str, verdict: str = "") -> str:
        """Keep a picture, with a verdict in front of its label if there is one; return why not, or nothing."""
        name = ": ".join(clean_label(words) for words in (verdict, label) if words)
        problem = self.problem()
        if not problem:
            try:
                picture = await asyncio.to_thread(clean_image, png)
            except UnfitImageError as error:
                problem = clean_label(str(error))
            else:
                artifact = await self._artifacts.put(picture.png, "image/png")
                width, height = picture.width_px, picture.height_px
                new = f"picture-{len(self._shown) + 1}"
                image = ShownImage(label=name, artifact=artifact, width_px=width, height_px=height, id=new)
                self._shown[new] = image
                self._images.append(image)
                return ""
        self._refused.append(f"{name}: {problem}")
        return problem

    def recall(self, picture: str) -> ShowAnswer:
        """Show a picture of an earlier cell again; it counts as one more."""
        if problem := self.problem():
            return ShowAnswer(note=problem)
        image = self._shown.get(picture)
        if image is None:
            known = f"picture-1 to picture-{len(self._shown)}" if self._shown else "none yet"
            return ShowAnswer(problem=f"this session has no picture {clean_label(picture)!r}; it has {known}")
        if image not in self._images:
            self._images.append(image)
        return ShowAnswer()
