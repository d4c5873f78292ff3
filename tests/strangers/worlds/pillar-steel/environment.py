"""A floor, a wall at the right, and a round pillar."""

from build123d import Box, Compound, Cylinder, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    floor = Pos(200, 150, -5) * Box(400, 300, 10)
    wall = Pos(390, 150, 100) * Box(20, 300, 200)
    pillar = Pos(200, 150, 45) * Cylinder(29, 90)
    for label, solid in (("floor", floor), ("wall", wall), ("pillar", pillar)):
        solid.label = label
    return Compound(label="environment", children=[floor, wall, pillar])
