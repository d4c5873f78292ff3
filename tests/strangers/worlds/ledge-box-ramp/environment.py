from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def build(variant):
    floor = Pos(500, 150, -7.5) * Box(1000, 300, 15)
    floor.label = "floor"
    slope = Plane.XZ * Polygon((0, 0), (580, 0), (130, 300), (0, 300), align=None)
    hill = Pos(0, 150, 0) * extrude(slope, 100, both=True)
    hill.label = "hill"
    wall = Pos(990, 150, 60) * Box(20, 300, 120)
    wall.label = "wall"
    return Compound(children=[floor, hill, wall])
