"""The lawn, whose top is at z = 30."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    lawn = Pos(0, 125, 15) * Box(400, 550, 30)
    lawn.label = "lawn"
    return Compound(label="environment", children=[lawn])
