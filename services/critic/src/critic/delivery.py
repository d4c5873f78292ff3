"""What the critic sees of a submitted design besides numbers: pictures of its simulation, and its TODO list."""

from struct import unpack

from artifacts.port import ArtifactStore
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Picture
from contracts.models.design import Delivery
from contracts.models.simulation import Media
from contracts.text import shortened

TODO_CHARS = (4_000, 1_000)
"""Of the TODO list: its first and last characters."""
_PNG_SIZE = slice(16, 24)


async def pictures_of(media: Media, artifacts: ArtifactStore) -> tuple[Picture, ...]:
    """Return key frames and views of a filmed simulation."""
    shown = (
        (media.contact_sheet, "key frames of the verdict's nominal run", media.contact_sheet_show),
        (media.views, "top, front and right view of it, with the payload's path", media.views_show),
    )
    return tuple([await _picture(ref, caption, shows, artifacts) for ref, caption, shows in shown if ref is not None])


async def todo_of(delivery: Delivery, artifacts: ArtifactStore) -> str:
    """Return the engineer's TODO list as it was submitted; empty if the delivery names none."""
    if delivery.documents is None:
        return ""
    text = (await artifacts.get(delivery.documents.todo)).decode(errors="replace")
    return shortened(text.strip(), *TODO_CHARS)


async def _picture(ref: ArtifactRef, caption: str, shows: str, artifacts: ArtifactStore) -> Picture:
    width_px, height_px = unpack(">II", (await artifacts.get(ref))[_PNG_SIZE])
    return Picture(caption=caption, artifact=ref, width_px=width_px, height_px=height_px, shows=shows)
