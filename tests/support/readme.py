"""Reads and runs the examples of pages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(page: str) -> list[str]:
    """Return the Python blocks of a page, given from the root of the repository."""
    return _PYTHON.findall((ROOT / page).read_text(encoding="utf-8"))


def python_block(text: str) -> str:
    """Return the only Python block of the README that contains the text."""
    [block] = [block for block in python_blocks("README.md") if text in block]
    return block


def first_benchmark(folder: Path) -> Path:
    """Write the benchmark that the README's reader makes into a folder, and return its own one."""
    [yaml] = re.findall(r"^```yaml\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    place = folder / "my-drop"
    place.mkdir()
    (place / "benchmark.yaml").write_text(yaml, encoding="utf-8")
    (place / "environment.py").write_text(python_block("def build(variant)"), encoding="utf-8")
    return place


def run_examples(package: str) -> int:
    """Run every Python block of `package/README.md`, given from the root of the repository; return their number."""
    path = ROOT / package / "README.md"
    blocks = python_blocks(f"{package}/README.md")
    for block in blocks:
        exec(compile(block, str(path), "exec"), {"__name__": "__main__"})
    return len(blocks)
