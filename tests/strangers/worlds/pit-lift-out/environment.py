from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("bottom", (-200, -150, -100), (0, 150, -80)),
        block("bank", (-250, -150, -100), (-200, 150, 0)),
        block("lawn", (0, -150, -100), (350, 150, 0)),
    ]
    return Compound(children=solids)
