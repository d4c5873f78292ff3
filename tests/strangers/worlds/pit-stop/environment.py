from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (0, 0, -20), (700, 240, 0)),
        block("table", (0, 0, 0), (250, 240, 200)),
        block("lower", (400, 0, 0), (700, 240, 160)),
        block("side-a", (250, 0, 0), (400, 20, 160)),
        block("side-b", (250, 220, 0), (400, 240, 160)),
    ]
    return Compound(children=solids)
