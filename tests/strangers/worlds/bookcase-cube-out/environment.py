from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("carpet", (-200, 0, -10), (200, 500, 0)),
        block("board", (-150, 350, 80), (150, 480, 100)),
        block("upper", (-150, 350, 162), (150, 480, 180)),
        block("back", (-150, 480, 0), (150, 500, 300)),
        block("side-a", (-170, 350, 0), (-150, 500, 300)),
        block("side-b", (150, 350, 0), (170, 500, 300)),
    ]
    return Compound(children=solids)
