from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (-300, -200, -10), (300, 200, 0)),
        block("desk", (-300, -120, 150), (0, 120, 180)),
        block("panel", (-300, -120, 0), (-280, 120, 150)),
    ]
    return Compound(children=solids)
