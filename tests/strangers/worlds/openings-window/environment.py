from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, 0, 0), (700, 400, 30)),
        block("wall-low", (330, 0, 30), (350, 400, 210)),
        block("wall-high", (330, 0, 330), (350, 400, 600)),
        block("wall-left", (330, 260, 210), (350, 400, 330)),
        block("wall-right", (330, 0, 210), (350, 140, 330)),
    ]
    return Compound(children=solids)
