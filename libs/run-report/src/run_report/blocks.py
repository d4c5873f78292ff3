"""The blocks of which a report consists. Their texts are as written; templates escape them."""

from dataclasses import dataclass
from typing import ClassVar

from contracts.models.artifact import ArtifactRef
from viewer.drawings import WorldDrawing

from run_report.pictures import Pictures


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
class Figures:
    """Stored pictures, or films, with their captions."""

    kind: ClassVar = "figures"
    figures: tuple[tuple[ArtifactRef, str], ...]
    title: str = ""


@dataclass(frozen=True)
class Drawings:
    """A world from several sides."""

    kind: ClassVar = "drawings"
    drawings: tuple[WorldDrawing, ...]
    title: str = ""


@dataclass(frozen=True)
class ReplayLink:
    """Leads to a simulation."""

    kind: ClassVar = "replay"
    simulation: str


Block = Prose | Code | TextTable | Figures | Drawings | Pictures | ReplayLink
