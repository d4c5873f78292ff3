"""Ground, and a lane of four walls that bends by 40 degrees at the origin."""

from build123d import Box, Compound, Pos, Rot


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(0, 160, -10) * Box(800, 520, 20)
    walls = [
        Pos(-129, 23, 45) * Box(242, 10, 90),
        Pos(-106, -23, 45) * Box(224, 10, 90),
        Rot(0, 0, 40) * Pos(138, 23, 45) * Box(244, 10, 90),
        Rot(0, 0, 40) * Pos(133, -23, 45) * Box(260, 10, 90),
    ]
    for number, wall in enumerate(walls):
        wall.label = f"wall-{number + 1}"
    slab.label = "ground"
    return Compound(label="environment", children=[slab, *walls])
