"""A floor, a wall at its long side, and a ledge of 80 mm on the wall."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("floor", (0, 0, -10), (700, 260, 0)),
            block("wall", (0, 250, 0), (700, 260, 150)),
            block("ledge", (60, 170, 90), (220, 250, 110)),
            block("corbel", (60, 170, 0), (100, 250, 90)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
