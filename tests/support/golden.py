"""Golden files: one per surface that people or agents read, with the exact prose."""

from collections.abc import Callable, Mapping
from pathlib import Path

Surfaces = Mapping[str, Callable[[], str]]
"""From the name of a golden file to the function that renders its text."""


def write_golden(folder: Path, surfaces: Surfaces) -> None:
    """Write every golden file; review the difference before committing it."""
    folder.mkdir(exist_ok=True)
    for name, render in surfaces.items():
        (folder / name).write_text(render(), encoding="utf-8")


def read_golden(folder: Path, name: str) -> str:
    """Return the text of a golden file."""
    return (folder / name).read_text(encoding="utf-8")
