from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-400, -400, -20), (400, 400, 0)),
        block("block", (-60, -60, 0), (60, 60, 80)),
    ]
    return Compound(children=solids)
