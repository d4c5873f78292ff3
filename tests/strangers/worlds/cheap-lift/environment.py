"""Ground and a shelf."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-200, -150, -10), (200, 150, 0)),
            block("shelf", (60, -100, 180), (200, 100, 200)),
            block("shelf-foot", (180, -100, 0), (200, 100, 180)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
