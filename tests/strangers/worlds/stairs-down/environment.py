"""Ground and four steps down along x."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-420, -120, -20), (300, 120, 0)),
            block("step-1", (-400, -100, 0), (-300, 100, 160)),
            block("step-2", (-300, -100, 0), (-200, 100, 120)),
            block("step-3", (-200, -100, 0), (-100, 100, 80)),
            block("step-4", (-100, -100, 0), (0, 100, 40)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
