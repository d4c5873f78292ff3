"""On-disk cache of the shapes of bought parts: filled once by `catalog_shapes.warm_cache`, read by every kernel.

The shelf lies beside the installed packages, which kernels can read and cannot write: no agent's code has a part in
what verdicts are made of. A shape is found by its recipe and by the versions of the libraries that made it: another
recipe or library is another name, so nothing is ever out of date. Without a shelf, each process makes what it needs.
"""

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from contracts.models.catalog import Recipe

SHELF = Path(sys.prefix) / "share" / "millwright" / "shapes"
_MAKERS = ("bd-warehouse", "build123d", "cadquery-ocp-novtk")
_READABLE_BY_ALL = 0o644


def kept(recipe: Recipe) -> bytes | None:
    """Return the B-rep of what a recipe makes, or None if nobody has made it yet."""
    try:
        return _place(recipe).read_bytes()
    except FileNotFoundError:
        return None


def keep(recipe: Recipe, brep: bytes) -> None:
    """Put a B-rep on the shelf, whole or not at all; raise `OSError` where nobody may write."""
    SHELF.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=SHELF, delete=False) as file:
        file.write(brep)
    whole = Path(file.name)
    whole.chmod(_READABLE_BY_ALL)  # kernels may have users of their own
    whole.replace(_place(recipe))


def _place(recipe: Recipe) -> Path:
    told = f"{recipe.model_dump_json()} {_makers()}"
    return SHELF / f"{hashlib.sha256(told.encode()).hexdigest()}.brep"


@cache
def _makers() -> str:
    return " ".join(f"{name} {version(name)}" for name in _MAKERS)
