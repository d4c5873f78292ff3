"""Ground and three steps that come down along -y."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    return Compound(
        label="environment",
        children=[
            block("ground", (-250, -350, -20), (250, 350, 0)),
            block("step-1", (-150, 80, 0), (0, 180, 180)),
            block("step-2", (-150, -20, 0), (0, 80, 120)),
            block("step-3", (-150, -120, 0), (0, -20, 60)),
        ],
    )


def block(label, low, high):
    """Return a box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
