"""Two blocks with a pit between them, and a wall on each side of the lane."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("block-left", (-350, -120, -250), (-75, 120, 0)),
            block("block-right", (75, -120, -250), (350, 120, 0)),
            block("wall-north", (-250, 26, 0), (-75, 46, 140)),
            block("wall-south", (-250, -46, 0), (-75, -26, 140)),
            block("wall-far-north", (75, 26, 0), (200, 46, 140)),
            block("wall-far-south", (75, -46, 0), (200, -26, 140)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
