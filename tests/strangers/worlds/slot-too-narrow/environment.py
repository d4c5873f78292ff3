from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, 0, 0), (600, 300, 20)),
        block("wall-a", (290, 0, 20), (310, 133, 400)),
        block("wall-b", (290, 167, 20), (310, 300, 400)),
    ]
    return Compound(children=solids)
