"""The viewer's files, built from `js/` and shipped with the package: no node and no network at run time."""

from functools import cache
from importlib.resources import files
from pathlib import Path

STATIC = Path(str(files("viewer") / "static"))
"""Folder of the files below, for servers of static files."""
SCRIPT = STATIC / "viewer.js"
"""Defines `MillwrightViewer`; a plain script, no module, so that it runs from disk."""
STYLE = STATIC / "viewer.css"
CODE_STYLE = STATIC / "markup.css"
"""For what `viewer.markup` returns."""
LICENCE = STATIC / "LICENSE-three.txt"
"""Of three.js, which the script contains."""


@cache
def text_of(path: Path) -> str:
    """Return the text of one of the viewer's files."""
    return path.read_text(encoding="utf-8")
