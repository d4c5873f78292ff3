"""`python -m catalog_shapes.warm_cache`: make the shapes of all bought parts that need a library.

It writes some 10 MB next to the installed packages and needs write permission there. Run it again after an update;
shapes that are cached already are skipped. With `--idle` it uses only time that no other process wants.
"""

import os
import sys
from collections.abc import Iterable
from time import perf_counter

from contracts.models.catalog import CatalogPart
from parts_catalog.parts import parts

from catalog_shapes.bought_parts import make_brep
from catalog_shapes.shape_cache import CACHE_FOLDER, missing_recipes, store_brep


def main() -> None:
    """Fill the cache and print a summary; exit with 1 without write permission."""
    if sys.argv[1:] == ["--idle"]:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    began_s = perf_counter()
    try:
        made = warm(parts().values())
    except PermissionError as error:
        sys.exit(f"warm_cache: cannot write {CACHE_FOLDER} ({error.strerror}); run it as the owner of the packages")
    print(f"made {made} shapes in {perf_counter() - began_s:.0f} s in {CACHE_FOLDER}")  # noqa: T201 - a command


def warm(catalog_parts: Iterable[CatalogPart]) -> int:
    """Make the shapes that need a library and are not cached; return their number."""
    missing = missing_recipes(catalog_parts)
    for recipe in missing:
        store_brep(recipe, make_brep(recipe))
    return len(missing)


if __name__ == "__main__":
    main()
