"""Garden ground."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("garden", (-150, -400, -15), (150, 400, 0)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
