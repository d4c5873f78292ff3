"""The ground, whose top is at z = 100, and two garden walls along x."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (0, -150, 90), (700, 150, 100)),
            block("garden-wall-1", (60, 24, 100), (560, 44, 220)),
            block("garden-wall-2", (60, -44, 100), (560, -24, 220)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
