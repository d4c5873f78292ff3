from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant):
    floor = Pos(400, 150, -10) * Box(800, 300, 20)
    floor.label = "ground"
    solids = [floor]
    rise = 200 * 0.7  # 35 degrees
    for label, y, half, low, high in (("ramp", 150, 30, -10, 0), ("left", 182, 2, -10, 30), ("right", 118, 2, -10, 30)):
        side = [(60, 240 + rise + low), (260, 240 + low), (260, 240 + high), (60, 240 + rise + high)]
        solid = Pos(0, y, 0) * extrude(Plane.XZ * Polygon(*side, align=None), half, both=True)
        solid.label = label
        solids.append(solid)
    return Compound(children=solids)
