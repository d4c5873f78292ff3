from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant):
    floor = Pos(350, 0, -10) * Box(900, 400, 20)
    floor.label = "floor"
    ramp = extrude(Plane.XZ * Polygon((0, 0), (400, 0), (400, 100), align=None), 120, both=True)
    ramp.label = "ramp"
    table = Pos(550, 0, 50) * Box(300, 240, 100)
    table.label = "table"
    return Compound(children=[floor, ramp, table])
