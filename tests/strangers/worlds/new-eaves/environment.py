"""The gutter of a roof, the wall behind it, and a barrel on the ground."""

from build123d import Box, Compound, Cylinder, Plane, Polygon, Pos, extrude


def build(variant) -> Compound:
    """Return the solids in millimetres."""
    slab = Pos(-125, -25, -5) * Box(550, 450, 10)
    slab.label = "ground"
    wall = Pos(-230, 160, 200) * Box(300, 30, 400)
    wall.label = "wall"
    barrel = Pos(-10, -130, 75) * Cylinder(60, 150)
    barrel.label = "barrel"
    end = Pos(-352, 100, 315) * Box(4, 64, 60)
    end.label = "gutter-end"
    solids = [slab, wall, barrel, end]
    for label, aside, half, high in (("floor", 0, 26, 0), ("front", -29, 3, 30), ("back", 29, 3, 30)):
        side = Polygon((-350, 297), (-75, 275), (-75, 280 + high), (-350, 302 + high), align=None)
        solid = Pos(0, 100 + aside, 0) * extrude(Plane.XZ * side, half, both=True)
        solid.label = f"gutter-{label}"
        solids.append(solid)
    return Compound(label="environment", children=solids)
