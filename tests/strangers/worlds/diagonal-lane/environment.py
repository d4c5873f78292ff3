"""A hall, and two oblique walls with a lane between them, turned about its middle."""

from build123d import Box, Compound, Pos, Rot

ANGLE = 35.0
LANE = 40.0  # between the walls: 10 mm more than the ball


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    floor = Pos(0, 0, -10) * Box(600, 500, 20)
    floor.label = "floor"
    children = [floor]
    for label, side in (("north", 1), ("south", -1)):
        wall = Rot(0, 0, ANGLE) * Pos(0, side * (LANE + 12) / 2, 45) * Box(300, 12, 90)
        wall.label = f"wall-{label}"
        children.append(wall)
    return Compound(label="environment", children=children)
