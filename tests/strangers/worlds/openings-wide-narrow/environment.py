from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-300, -350, -20), (350, 250, 0)),
        block("wall-left", (0, 90, 0), (20, 250, 450)),
        block("wall-middle", (0, -100, 0), (20, 60, 450)),
        block("wall-right", (0, -350, 0), (20, -200, 450)),
        block("sill", (0, -200, 0), (20, -100, 60)),
        block("bar", (0, 60, 0), (20, 90, 150)),
    ]
    return Compound(children=solids)
