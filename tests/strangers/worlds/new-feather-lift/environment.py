"""Ground and a step."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(25, 0, -5) * Box(350, 200, 10)
    slab.label = "ground"
    step = Pos(120, 0, 60) * Box(160, 200, 120)
    step.label = "step"
    return Compound(label="environment", children=[slab, step])
