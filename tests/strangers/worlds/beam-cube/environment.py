"""Ground, and a bridge on two abutments, with a wall on it that reaches to the ceiling."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-300, -150, -20), (400, 150, 0)),
            block("bridge", (60, -150, 180), (110, 150, 600)),
            block("abutment-1", (60, -150, 0), (110, -110, 180)),
            block("abutment-2", (60, 110, 0), (110, 150, 180)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
