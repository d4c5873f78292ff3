"""Ground and a ramp of 20 degrees."""

from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(300, 0, -10) * Box(600, 400, 20)
    slab.label = "ground"
    ramp = extrude(Plane.XZ * Polygon((0, 0), (300, 0), (0, 110), align=None), 180, both=True)
    ramp.label = "skate-ramp"
    return Compound(label="environment", children=[slab, ramp])
