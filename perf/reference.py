"""Write the references of the baked skill `build123d` anew from the installed build123d: `python -m perf.reference`.

Every signature and every sentence comes from the library's own docstrings; which names are worth a line is chosen in
`perf.references.names`. `traps.md` beside them is written by hand. Exit code 1 if anything was written, as for git's
hooks.
"""

import sys
from pathlib import Path

import documents

from tools.skill_reference import pages

FOLDER = Path(documents.__file__).parent / "skills" / "build123d" / "references"


def main() -> int:
    """Write what changed."""
    stale = {name: text for name, text in pages().items() if _written(name) != text}
    for name, text in stale.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        sys.stderr.write(f"written: {FOLDER.name}/{name}, {len(text.encode()) / 1000:.1f} kB\n")
    return 1 if stale else 0


def _written(name: str) -> str:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
