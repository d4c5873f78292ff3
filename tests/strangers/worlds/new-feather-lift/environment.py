"""Ground and a step."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    ground = Pos(25, 0, -5) * Box(350, 200, 10)
    ground.label = "ground"
    step = Pos(120, 0, 60) * Box(160, 200, 120)
    step.label = "step"
    return Compound(label="environment", children=[ground, step])
