"""Ground, a wall, and a ledge along it."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-250, -100, -10), (250, 300, 0)),
            block("wall", (-250, 290, 0), (250, 300, 300)),
            block("ledge", (-150, 200, 100), (150, 290, 130)),
            block("pier", (-150, 240, 0), (-100, 290, 100)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
