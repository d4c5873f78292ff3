from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (-600, -500, -10), (200, 300, 0)),
        block("top", (-420, -70, 80), (20, 230, 100)),
        block("leg1", (-420, -70, 0), (-400, 230, 80)),
        block("leg2", (0, -70, 0), (20, 230, 80)),
    ]
    return Compound(children=solids)
