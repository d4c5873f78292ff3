from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("street", (-300, -150, -10), (500, 150, 0)),
        block("kerb", (230, -25, 0), (460, 25, 20)),
    ]
    return Compound(children=solids)
