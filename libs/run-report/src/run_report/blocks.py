"""The blocks of which an event's account consists. Their texts are as written; templates escape them."""

from dataclasses import dataclass
from typing import ClassVar

from run_report.pictures import EmbeddedPicture


@dataclass(frozen=True)
class Prose:
    """Markdown."""

    kind: ClassVar = "prose"
    markdown: str
    title: str = ""


@dataclass(frozen=True)
class Code:
    """Python, or another text of a file."""

    kind: ClassVar = "code"
    text: str
    title: str = ""


@dataclass(frozen=True)
class TextTable:
    """Rows of texts."""

    kind: ClassVar = "table"
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


@dataclass(frozen=True)
class Pictures:
    """Pictures in order."""

    kind: ClassVar = "pictures"
    pictures: tuple[EmbeddedPicture, ...]


@dataclass(frozen=True)
class ReplayLink:
    """Leads to a simulation."""

    kind: ClassVar = "replay"
    simulation: str


Block = Prose | Code | TextTable | Pictures | ReplayLink
