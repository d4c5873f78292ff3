"""Ground and a table of 500 mm."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-400, -200, -20), (450, 200, 0)),
            block("table", (-300, -100, 130), (200, 100, 150)),
            block("leg-1", (-300, -100, 0), (-250, 100, 130)),
            block("leg-2", (150, -100, 0), (200, 100, 130)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
