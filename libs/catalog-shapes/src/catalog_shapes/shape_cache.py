"""On-disk cache of the shapes of bought parts: filled once by `catalog_shapes.warm_cache`, read by every kernel.

On one machine that happens beside the first run, in time that nothing else wants.

The folder is next to the installed packages, which kernels can read but not write: agent code cannot influence what
verdicts are made from. A file is named by the recipe and the versions of the libraries that made it, so that it is
never out of date. Without the cache, each process makes the shapes that it needs.
"""

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

from contracts.models.catalog import CatalogPart, Recipe
from parts_catalog.parts import parts

CACHE_FOLDER = Path(sys.prefix) / "share" / "millwright" / "shapes"
_LIBRARIES = ("bd-warehouse", "build123d", "cadquery-ocp-novtk")
_READABLE_BY_ALL = 0o644


def cached_brep(recipe: Recipe) -> bytes | None:
    """Return the B-rep of a recipe's shape, or None if it is not in the cache."""
    try:
        return _file(recipe).read_bytes()
    except FileNotFoundError:
        return None


def missing_recipes(catalog_parts: Iterable[CatalogPart]) -> list[Recipe]:
    """Return the recipes of these parts that need a library and whose shapes are not in the cache."""
    recipes = [part.recipe for part in catalog_parts if part.recipe is not None and part.recipe.module != "plain"]
    return [recipe for recipe in recipes if not _file(recipe).exists()]


def is_filled() -> bool:
    """Tell whether the cache has every shape."""
    return not missing_recipes(parts().values())


def store_brep(recipe: Recipe, brep: bytes) -> None:
    """Write a B-rep to the cache, atomically; raise `OSError` without write permission."""
    CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=CACHE_FOLDER, delete=False) as file:
        file.write(brep)
    complete = Path(file.name)
    complete.chmod(_READABLE_BY_ALL)  # kernels may run as other users
    complete.replace(_file(recipe))


def _file(recipe: Recipe) -> Path:
    key = f"{recipe.model_dump_json()} {_library_versions()}"
    return CACHE_FOLDER / f"{hashlib.sha256(key.encode()).hexdigest()}.brep"


@cache
def _library_versions() -> str:
    return " ".join(f"{name} {version(name)}" for name in _LIBRARIES)
