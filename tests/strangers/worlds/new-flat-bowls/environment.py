"""A mat, and a kerb at the near end."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    mat = Pos(180, 350, -10) * Box(360, 700, 20)
    mat.label = "mat"
    kerb = Pos(180, 20, 15) * Box(360, 20, 30)
    kerb.label = "kerb"
    return Compound(label="environment", children=[mat, kerb])
