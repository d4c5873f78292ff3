from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (-250, -150, -20), (250, 150, 0)),
        block("shelf", (0, -150, 0), (250, 150, 120)),
    ]
    return Compound(children=solids)
