from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("bench", (0, -250, -10), (400, 200, 0)),
        block("tray", (0, 0, 0), (300, 100, 50)),
        block("wall-left", (0, 0, 50), (20, 100, 90)),
        block("wall-back", (20, 80, 50), (300, 100, 90)),
    ]
    return Compound(children=solids)
