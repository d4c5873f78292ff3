"""Ground, and a shelf on a block at the left."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-300, -200, -20), (300, 200, 0)),
            block("shelf", (-280, -180, 200), (0, 180, 220)),
            block("block", (-280, -180, 0), (-200, 180, 200)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
