from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def slab(label, points, half, y=0.0):
    solid = Pos(0, y, 0) * extrude(Plane.XZ * Polygon(*points, align=None), half, both=True)
    solid.label = label
    return solid


def build(variant):
    floor = Pos(200, 150, -5) * Box(500, 600, 10)
    floor.label = "ground"
    gutter = slab("gutter", [(-50, 0), (190, 0), (190, 230), (-50, 265)], 25)
    sides = [slab(f"side{y}", [(-50, 0), (190, 0), (190, 262), (-50, 297)], 5, y) for y in (-30, 30)]
    back = slab("back", [(-50, 265), (-40, 265), (-40, 310), (-50, 310)], 25)
    back = Pos(0, 0, 0.5) * back
    back.label = "back"
    return Compound(children=[floor, gutter, *sides, back])
