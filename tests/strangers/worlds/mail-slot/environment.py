"""Ground, and a wall of two halves with a slot between them."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-300, -150, -20), (300, 150, 0)),
            block("wall-left", (-10, 13, 0), (10, 150, 300)),
            block("wall-right", (-10, -150, 0), (10, -13, 300)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
