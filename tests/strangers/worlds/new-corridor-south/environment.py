"""The floor of a corridor, and its two walls."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    floor = Pos(0, -10, -5) * Box(360, 1380, 10)
    floor.label = "floor"
    solids = [floor]
    for label, x in (("west", -170), ("east", 170)):
        wall = Pos(x, -10, 100) * Box(20, 1380, 200)
        wall.label = f"wall-{label}"
        solids.append(wall)
    return Compound(label="environment", children=solids)
