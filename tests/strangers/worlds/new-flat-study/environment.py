"""The floor of a study, and a cupboard in its corner."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    floor = Pos(-50, 0, -7.5) * Box(400, 500, 15)
    floor.label = "study-floor"
    cupboard = Pos(-190, 150, 60) * Box(120, 180, 120)
    cupboard.label = "cupboard"
    return Compound(label="environment", children=[floor, cupboard])
