"""Ground and a crate."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(50, -75, -5) * Box(400, 550, 10)
    slab.label = "ground"
    crate = Pos(50, -160, 47.5) * Box(300, 280, 95)
    crate.label = "crate"
    return Compound(label="environment", children=[slab, crate])
