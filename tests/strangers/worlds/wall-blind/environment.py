"""A shed's floor and a wall along y that leaves 130 mm at its upper end."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("floor", (-260, -260, -10), (260, 260, 0)),
            block("wall", (-5, -260, 0), (5, 130, 350)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
