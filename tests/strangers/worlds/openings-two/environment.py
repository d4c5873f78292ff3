"""Ground and a wall along x in three pieces, with gaps of 32 and 130 mm."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-300, -300, -20), (300, 300, 0)),
            block("wall-1", (-300, -8, 0), (-166, 8, 350)),
            block("wall-2", (-134, -8, 0), (-45, 8, 350)),
            block("wall-3", (85, -8, 0), (300, 8, 350)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
