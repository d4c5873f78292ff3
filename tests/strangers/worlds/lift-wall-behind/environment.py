from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("garden", (0, 0, 0), (600, 300, 20)),
        block("wall", (280, 0, 20), (320, 300, 110)),
    ]
    return Compound(children=solids)
