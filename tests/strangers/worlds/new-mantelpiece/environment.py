"""A parlour: floor, chimney breast with a mantelpiece, and a stool."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("floor", (-200, -300, -20), (200, 400, 0)),
            block("chimney", (100, -250, 0), (180, 250, 420)),
            block("mantelpiece", (-30, -210, 190), (100, 160, 210)),
            block("stool", (-20, 165, 0), (100, 330, 60)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
