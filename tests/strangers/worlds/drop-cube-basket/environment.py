from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, 0, 0), (400, 300, 10)),
        block("table", (280, 0, 10), (400, 300, 150)),
    ]
    return Compound(children=solids)
