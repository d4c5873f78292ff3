"""Writes pages that are made from code."""

import sys
from collections.abc import Mapping
from pathlib import Path


def write_pages(folder: Path, pages: Mapping[str, str]) -> int:
    """Write the pages that changed, by their paths in a folder; return 1 if there were any, as git hooks expect."""
    stale = {name: text for name, text in pages.items() if _written(folder / name) != text}
    for name, text in stale.items():
        (folder / name).write_text(text, encoding="utf-8")
        print(f"written: {name}, {len(text.encode()) / 1000:.1f} kB", file=sys.stderr)
    return 1 if stale else 0


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
