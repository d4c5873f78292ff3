from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (-150, 0, 0), (150, 700, 10)),
        block("left", (-150, 300, 10), (-60, 320, 500)),
        block("right", (60, 300, 10), (150, 320, 500)),
        block("middle", (-60, 300, 140), (60, 320, 180)),
        block("top", (-60, 300, 310), (60, 320, 500)),
    ]
    return Compound(children=solids)
