from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-400, -250, -20), (300, 250, 0)),
        block("wall-a", (-10, -250, 0), (10, -45, 200)),
        block("wall-b", (-10, 45, 0), (10, 250, 200)),
    ]
    return Compound(children=solids)
