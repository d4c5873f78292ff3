"""Ground and two beams along x, 130 and 75 mm above it."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-100, -450, -10), (220, 450, 0)),
            block("beam-high", (-100, -170, 130), (220, -130, 300)),
            block("beam-low", (-100, 100, 75), (220, 140, 300)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
