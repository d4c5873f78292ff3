"""A yard, and six columns on each side of an oblique lane of 51 mm."""

from build123d import Box, Compound, Cylinder, Pos, Rot


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    yard = Pos(250, 250, -5) * Box(500, 500, 10)
    yard.label = "yard"
    solids = [yard]
    lane = Pos(110, 400, 70) * Rot(0, 0, -50)
    for number in range(6):
        for row, aside in (("north", 35.5), ("south", -35.5)):
            column = lane * Pos(30 + 45 * number, aside, 0) * Cylinder(10, 140)
            column.label = f"column-{row}-{number + 1}"
            solids.append(column)
    return Compound(label="environment", children=solids)
