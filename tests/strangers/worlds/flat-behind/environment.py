"""Ground and two walls that meet in the corner of the goal."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-320, -40, -30), (280, 360, 0)),
            block("wall-left", (-320, -40, 0), (-300, 340, 150)),
            block("wall-back", (-320, 340, 0), (280, 360, 150)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
