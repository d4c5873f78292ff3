from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (0, 0, -10), (900, 400, 0)),
        block("pillar", (620, 170, 0), (680, 230, 400)),
    ]
    return Compound(children=solids)
