"""What a file of parts holds, and why a file cannot be used."""

from dataclasses import dataclass, field
from typing import Literal

from build123d import Solid
from contracts.models.geometry import Vector

FileFormat = Literal["step", "stl", "3mf", "obj", "script"]
FileProblem = Literal[
    "empty",
    "unknown_format",
    "too_large",
    "damaged",
    "truncated",
    "no_shape",
    "lines_only",
    "surfaces_only",
    "open",
    "script_failed",
    "too_complex",
]
NAME_CHARS = 80
MAX_SOLIDS = 200
"""Distinct ones of a file."""
MAX_PIECES = 100_000
"""Of a file: what an assembly of assemblies may multiply to."""


class UnusableFileError(ValueError):
    """A file holds nothing that can be judged; the message continues a sentence about the file, with advice."""

    def __init__(self, problem: FileProblem, message: str, place_mm: Vector | None = None) -> None:
        super().__init__(message)
        self.problem: FileProblem = problem
        self.place_mm = place_mm


@dataclass(frozen=True)
class NamedSolid:
    """One distinct solid, in its own coordinates."""

    name: str
    solid: Solid
    count: int = 1
    """How many pieces of it the file has."""
    is_mesh: bool = False
    """Whether it was made from triangles: its round faces are facets."""
    fault: UnusableFileError | None = None
    """Why it alone cannot be judged."""


@dataclass(frozen=True)
class CadFile:
    """The solids of a file, each once, and notes on what was left out or corrected."""

    format: FileFormat
    solids: tuple[NamedSolid, ...]
    notes: tuple[str, ...] = field(default=())


def clean_name(text: str, fallback: str) -> str:
    """Return a name in one line without control characters, at most `NAME_CHARS` long."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line[:NAME_CHARS] or fallback
