"""A kitchen: floor, counter, and the units on the other side."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("floor", (-300, -250, -20), (250, 250, 0)),
            block("counter", (0, -150, 0), (250, 150, 180)),
            block("units", (-300, -250, 0), (-250, 250, 180)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
