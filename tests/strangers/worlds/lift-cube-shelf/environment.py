from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-300, -400, 0), (300, 100, 20)),
        block("step", (-300, -226, 20), (300, 100, 120)),
    ]
    return Compound(children=solids)
