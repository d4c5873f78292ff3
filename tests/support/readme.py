"""Runs the Python examples of a package's README."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_examples(package: str) -> int:
    """Run every Python block of `package/README.md`, given from the root of the repository; return their number."""
    path = ROOT / package / "README.md"
    blocks = _PYTHON.findall(path.read_text(encoding="utf-8"))
    for block in blocks:
        exec(compile(block, str(path), "exec"), {"__name__": "__main__"})
    return len(blocks)
