from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-200, -300, -10), (200, 300, 0)),
        block("podium", (-120, 0, 0), (120, 260, 60)),
    ]
    return Compound(children=solids)
