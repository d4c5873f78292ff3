from build123d import Box, Compound, Cone, Cylinder, Pos


def build(variant):
    floor = Pos(150, 0, -5) * Box(600, 400, 10)
    floor.label = "ground"
    hopper = Pos(0, 0, 285) * Box(150, 150, 90) - Pos(0, 0, 290) * Cone(19, 70, 80) - Pos(0, 0, 270) * Cylinder(19, 100)
    hopper.label = "hopper"
    pole = Pos(-90, 0, 165) * Box(30, 60, 330)
    pole.label = "pole"
    return Compound(children=[floor, hopper, pole])
