from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant):
    yard = Pos(350, 0, -5) * Box(900, 400, 10)
    yard.label = "yard"
    profile = Polygon((0, 0), (180, 0), (180, 150), (0, 280), align=None)
    shed = extrude(Plane.XZ * profile, 150, both=True)
    shed.label = "shed"
    return Compound(children=[yard, shed])
