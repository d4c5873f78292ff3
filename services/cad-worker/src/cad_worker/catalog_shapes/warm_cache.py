"""`python -m cad_worker.catalog_shapes.warm_cache`: make every shape that takes a library.

It takes about a minute, writes some 10 MB beside the installed packages and needs the rights of whoever installed them.
Run it again after an update: what is there already is left alone.
"""

import sys
from collections.abc import Iterable
from time import perf_counter

from contracts.models.catalog import CatalogPart
from parts_catalog.parts import parts

from cad_worker.catalog_shapes.bought_parts import made_brep
from cad_worker.catalog_shapes.shape_cache import SHELF, keep, kept


def main() -> None:
    """Fill the shelf and say what was done; exit with 1 where it cannot be written."""
    begun_s = perf_counter()
    try:
        made = stock(parts().values())
    except PermissionError as error:
        sys.exit(f"stocking: {SHELF} cannot be written ({error.strerror}); run it as whoever installed the packages")
    print(f"{made} shapes were made in {perf_counter() - begun_s:.0f} s and lie in {SHELF}")  # noqa: T201 - a command


def stock(sold: Iterable[CatalogPart]) -> int:
    """Make what takes a library and is not kept yet; return how many shapes that were."""
    recipes = [part.recipe for part in sold if part.recipe is not None and part.recipe.module != "plain"]
    missing = [recipe for recipe in recipes if kept(recipe) is None]
    for recipe in missing:
        keep(recipe, made_brep(recipe))
    return len(missing)


if __name__ == "__main__":
    main()
