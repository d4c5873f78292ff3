from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("sand", (-300, -300, -30), (300, 500, 0)),
        block("pedestal", (-30, -30, 0), (30, 30, 200)),
        block("stand", (-120, -60, 0), (-50, 10, 170)),
        block("fence", (-300, 480, 0), (300, 500, 80)),
    ]
    return Compound(children=solids)
