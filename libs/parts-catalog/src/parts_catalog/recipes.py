"""From what the seed says of a part's geometry to a recipe that can be followed."""

from contracts.models.catalog import Figure, Recipe

from parts_catalog.hardware.sheets import Housing
from parts_catalog.seed import SeedRow

Args = dict[str, Figure]

_SHAFT_FROM_END_MM = 10.0
"""Where the shaft of a standard servo stands on its long side. An estimate."""

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
"""Diameters where the inner ring ends and the outer one begins, by code: the table of bd_warehouse 0.4.0."""


def seed_recipe(row: SeedRow) -> Recipe:
    """Return how a row's geometry is made."""
    x, y, z = row.size_mm
    if row.category == "bearing":
        # A part of a design is one solid, and the library's bearings are rings, cage and balls.
        inner_mm, outer_mm = _SHOULDERS_MM[str(row.spec["code"])]
        args: Args = {
            "outer_radius": x / 2,
            "inner_radius": float(row.spec["bore_mm"]) / 2,
            "height": z,
            "inner_shoulder_radius": inner_mm / 2,
            "outer_shoulder_radius": outer_mm / 2,
        }
        return Recipe(module="plain", class_name="ShieldedBearing", args=args, is_exact=False)
    if row.recipe.module.startswith("bd_warehouse."):
        said = row.recipe.model_dump(include={"module", "class_name", "args", "bore_mm"})
        return Recipe.model_validate(said)
    if row.category == "motor":
        return housing_recipe(seed_housing(row))
    if row.id.startswith("ball-"):
        return Recipe(module="plain", class_name="Sphere", args={"radius": x / 2})
    if row.recipe.class_name == "Cylinder" or row.recipe.proxy == "cylinder":
        is_exact = not row.recipe.proxy
        return Recipe(module="plain", class_name="Cylinder", args={"radius": x / 2, "height": z}, is_exact=is_exact)
    return Recipe(module="plain", class_name="Box", args={"length": x, "width": y, "height": z}, is_exact=False)


def seed_housing(row: SeedRow) -> Housing:
    """Return the body of a motor of the seed, whose shaft leaves it at the origin along +z."""
    x, y, z = row.size_mm
    if row.subcategory == "rc_servo":
        return Housing(shape="box", size_mm=(x, y, z), center_mm=(x / 2 - _SHAFT_FROM_END_MM, 0.0, -z / 2))
    is_round = x == y and row.recipe.proxy == "motor_box_cyl"
    return Housing(shape="cylinder" if is_round else "box", size_mm=(x, y, z), center_mm=(0.0, 0.0, -z / 2))


def housing_recipe(housing: Housing) -> Recipe:
    """Return how a motor's housing is made: a plain body without its shaft."""
    x, y, z = housing.size_mm
    args: Args = {"radius": x / 2, "height": z}
    if housing.shape == "box":
        args = {"length": x, "width": y, "height": z}
    class_name = "Cylinder" if housing.shape == "cylinder" else "Box"
    return Recipe(module="plain", class_name=class_name, args=args, center_mm=housing.center_mm, is_exact=False)


def screw_recipe(diameter_mm: float, length_mm: float) -> Recipe:
    """Return how a socket head cap screw of a coarse thread is made, without the thread."""
    size = f"M{diameter_mm:g}-{COARSE_PITCH_MM[diameter_mm]:g}"
    args: Args = {
        "size": size,
        "length": length_mm,
        "fastener_type": "iso4762",
        "simple": True,
    }
    return Recipe(module="bd_warehouse.fastener", class_name="SocketHeadCapScrew", args=args)


COARSE_PITCH_MM = {2.0: 0.4, 2.5: 0.45, 3.0: 0.5, 4.0: 0.7, 5.0: 0.8, 6.0: 1.0, 8.0: 1.25, 10.0: 1.5}
"""ISO 261."""
