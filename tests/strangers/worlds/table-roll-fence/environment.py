from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, 0, 0), (900, 500, 20)),
        block("table", (0, 50, 20), (600, 450, 100)),
    ]
    return Compound(children=solids)
