"""A room with a wall along x that has one slot."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-300, -300, -20), (300, 300, 0)),
            block("wall-left", (-300, -6, 0), (-28, 6, 250)),
            block("wall-right", (33, -6, 0), (300, 6, 250)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
