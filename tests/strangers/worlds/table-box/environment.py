"""A floor at z = 20 and a table of 150 mm whose edge is along x."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("floor", (-100, -500, 0), (300, 100, 20)),
            block("table", (0, -180, 20), (200, 80, 170)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
