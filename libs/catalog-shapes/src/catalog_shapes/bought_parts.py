"""Geometry of bought parts, by the recipes of the catalog: from the cache, or made once per process."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the types of its own results open here.

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

import numpy as np
from build123d import Box, Cylinder, Location, Part, Plane, Pos, RigidJoint, Solid, Sphere
from contracts.models.catalog import CatalogPart, Interface, Recipe
from geometry.occt.brep import UnreadableBrepError, read_brep, write_brep
from parts_catalog import parts
from parts_catalog.mounts.hole_places import Sizes
from parts_catalog.parts import UnknownPartError

from catalog_shapes import shape_cache
from catalog_shapes.shape_cache import cached_brep
from catalog_shapes.slide_shapes import carriage, housed_bearing, rail

_LIBRARY = ("bd_warehouse.fastener", "bd_warehouse.gear", "bd_warehouse.open_builds", "bd_warehouse.sprocket")
"""Imported when first needed: the last makes a screw on import, which starts threads that do not survive a fork."""
TOLERANCE = 1e-6
"""Relative, of volume, area and moments."""
SHIELD_DEPTH_SHARE = 0.08
"""Depth of a bearing's shields below each side, as a share of its width. An estimate."""

_Fingerprint = tuple[tuple[int, int, int], tuple[float, ...]]
"""Faces, edges, vertices; volume, area, principal moments. The same in every pose."""


def bought_part(catalog_id: str) -> Part:
    """Return the catalog part of an id or an alias, labelled by its id; raise `UnknownPartError`.

    `part.catalog` is its catalog row, `part.mass_kg` its mass, `part.motor` a motor's data sheet. Each interface is a
    joint: a motor's `shaft` points along +z, out of the housing, at the origin.
    """
    row = parts.part(catalog_id)
    part: Part = Pos(0, 0, 0) * _made(row.id)
    part.label = label_of(row.id)
    vars(part).update(metadata={"catalog_id": row.id}, catalog=row, mass_kg=row.mass_kg, motor=row.motor)
    for interface in row.interfaces:
        RigidJoint(interface.name, part, _location(interface))
    return part


def label_of(catalog_id: str) -> str:
    """Return an id as a label, which starts with a letter and has no dots."""
    label = re.sub(r"[^a-z0-9_-]", "-", catalog_id)
    return label if label[0].isalpha() else f"part-{label}"


def is_unmodified(solid: Solid, catalog_id: str) -> bool:
    """Tell whether a solid has the catalog's shape, in any pose; raise `UnknownPartError`."""
    counts, measures = _fingerprint(solid)
    expected_counts, expected = _catalog_fingerprint(parts.part(catalog_id).id)
    return counts == expected_counts and bool(np.allclose(measures, expected, rtol=TOLERANCE, atol=0))


def make_brep(recipe: Recipe) -> bytes:
    """Make a recipe's shape and return it as a B-rep; raise `ValueError` unless it is one solid."""
    solids = _by_recipe(recipe).solids()
    if len(solids) != 1:
        raise ValueError(f"the recipe {recipe.class_name} {recipe.args} makes {len(solids)} solids; a part is one")
    return write_brep(solids[0])


@cache
def _made(catalog_id: str) -> Part:
    recipe = _recipe(parts.part(catalog_id))
    # A new shape also passes through its B-rep, as a cached one does: both are the same to the bit.
    brep = None if recipe.module == "plain" else cached_brep(recipe)
    try:
        return Part(list(read_brep(brep or make_brep(recipe)).solids))
    except UnreadableBrepError as error:
        fix = f"delete {shape_cache.CACHE_FOLDER} and run `python -m catalog_shapes.warm_cache`"
        raise ValueError(f"the cached shape of {catalog_id} is damaged; {fix}") from error


def _recipe(row: CatalogPart) -> Recipe:
    if row.recipe is None:
        raise UnknownPartError(f"{row.id} has no shape of its own: it is part of a joint and is not modelled")
    return row.recipe


def _by_recipe(recipe: Recipe) -> Any:  # noqa: ANN401 - some Part of build123d or bd_warehouse
    if recipe.module == "plain":
        return Pos(*recipe.center_mm) * _plain(recipe)
    if recipe.module not in _LIBRARY:
        raise ValueError(f"{recipe.module} is not a known library of parts; see contracts.models.catalog.Recipe")
    make = getattr(import_module(recipe.module), recipe.class_name)
    made = make(**recipe.args)
    if recipe.bore_mm is not None:
        made = made - Cylinder(recipe.bore_mm / 2, 2 * made.bounding_box().diagonal)
    return Pos(*recipe.center_mm) * made


def _plain(recipe: Recipe) -> Part:
    make = _PLAIN.get(recipe.class_name)
    if make is None:
        raise ValueError(f"{recipe.class_name} is not a known plain shape; see contracts.models.catalog.Recipe")
    return make({name: float(value) for name, value in recipe.args.items()})


def _ring(inner_radius: float, outer_radius: float, height: float) -> Part:
    return cast("Part", Cylinder(outer_radius, height) - Cylinder(inner_radius, height))


def _bearing(sizes: Sizes) -> Part:
    """Return two rings and the recessed shields between them as one solid; the balls inside are not modelled."""
    gap = sizes["inner_shoulder_radius"], sizes["outer_shoulder_radius"]
    depth = SHIELD_DEPTH_SHARE * sizes["height"]
    whole = _ring(sizes["inner_radius"], sizes["outer_radius"], sizes["height"])
    offset = (sizes["height"] - depth) / 2
    return cast("Part", whole - [Pos(0, 0, side * offset) * _ring(*gap, depth) for side in (-1, 1)])


_PLAIN: Mapping[str, Callable[[Sizes], Part]] = {
    "Box": lambda sizes: Box(sizes["length"], sizes["width"], sizes["height"]),
    "Cylinder": lambda sizes: Cylinder(sizes["radius"], sizes["height"]),
    "Sphere": lambda sizes: Sphere(sizes["radius"]),
    "Ring": lambda sizes: _ring(sizes["inner_radius"], sizes["outer_radius"], sizes["height"]),
    "ShieldedBearing": _bearing,
    "Rail": rail,
    "Carriage": carriage,
    "HousedBearing": housed_bearing,
}
"""What makes each plain shape, by its class name."""


def _location(interface: Interface) -> Location:
    return Plane(interface.at_mm, z_dir=interface.axis).location


@cache
def _catalog_fingerprint(catalog_id: str) -> _Fingerprint:
    return _fingerprint(_made(catalog_id).solids()[0])


def _fingerprint(solid: Solid) -> _Fingerprint:
    moments = np.linalg.eigvalsh(np.array(solid.matrix_of_inertia))
    counts = len(solid.faces()), len(solid.edges()), len(solid.vertices())
    return counts, (solid.volume, solid.area, *(float(each) for each in moments))
