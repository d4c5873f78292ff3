"""Recipes: how the geometry of a bought part is built."""

from contracts.models.catalog import Figure, Recipe

from parts_catalog.bearings import BALL_BEARING
from parts_catalog.datasheets import Housing
from parts_catalog.fasteners import COARSE_PITCH_MM
from parts_catalog.motors import row_housing
from parts_catalog.rows import CatalogRow

Args = dict[str, Figure]

_SHOULDERS_MM = {
    "623": (5.2, 7.5),
    "624": (6.7, 10.3),
    "625": (8.4, 12.0),
    "626": (11.1, 15.2),
    "608": (12.1, 17.6),
    "688": (10.5, 13.5),
    "695": (7.5, 10.5),
    "696": (8.2, 11.7),
    "698": (10.5, 15.5),
    "6000": (14.8, 21.2),
    "6800": (12.7, 16.3),
    "6900": (13.9, 18.2),
    "6200": (17.0, 23.2),
}
"""Outer diameter of the inner ring and inner diameter of the outer one, by code, from bd_warehouse 0.4.0."""


def row_recipe(row: CatalogRow) -> Recipe:
    """Return the recipe of a part that has a CSV row."""
    x, y, z = row.size_mm
    if row.subcategory == BALL_BEARING:
        # A part of a design is a single solid, and the library's bearings consist of rings, cage and balls.
        inner_mm, outer_mm = _SHOULDERS_MM[str(row.spec["code"])]
        args: Args = {
            "outer_radius": x / 2,
            "inner_radius": float(row.spec["bore_mm"]) / 2,
            "height": z,
            "inner_shoulder_radius": inner_mm / 2,
            "outer_shoulder_radius": outer_mm / 2,
        }
        return Recipe(module="plain", class_name="ShieldedBearing", args=args, is_exact=False)
    if row.recipe.module == "plain" or row.recipe.module.startswith("bd_warehouse."):
        own = row.recipe.model_dump(include={"module", "class_name", "args", "bore_mm"})
        return Recipe.model_validate({**own, "is_exact": row.recipe.module != "plain"})
    if row.category == "motor":
        return housing_recipe(row_housing(row))
    if row.id.startswith("ball-"):
        return Recipe(module="plain", class_name="Sphere", args={"radius": x / 2})
    if row.recipe.class_name == "Cylinder" or row.recipe.proxy == "cylinder":
        is_exact = not row.recipe.proxy
        return Recipe(module="plain", class_name="Cylinder", args={"radius": x / 2, "height": z}, is_exact=is_exact)
    return Recipe(module="plain", class_name="Box", args={"length": x, "width": y, "height": z}, is_exact=False)


def housing_recipe(housing: Housing) -> Recipe:
    """Return the recipe of a motor's housing: a plain body without its shaft."""
    x, y, z = housing.size_mm
    args: Args = {"radius": x / 2, "height": z}
    if housing.shape == "box":
        args = {"length": x, "width": y, "height": z}
    class_name = "Cylinder" if housing.shape == "cylinder" else "Box"
    return Recipe(module="plain", class_name=class_name, args=args, center_mm=housing.center_mm, is_exact=False)


def screw_recipe(diameter_mm: float, length_mm: float) -> Recipe:
    """Return the recipe of a socket head cap screw with a coarse thread, which is left out of the geometry."""
    size = f"M{diameter_mm:g}-{COARSE_PITCH_MM[diameter_mm]:g}"
    args: Args = {
        "size": size,
        "length": length_mm,
        "fastener_type": "iso4762",
        "simple": True,
    }
    return Recipe(module="bd_warehouse.fastener", class_name="SocketHeadCapScrew", args=args)
