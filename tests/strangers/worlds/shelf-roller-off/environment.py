from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, 0, -20), (600, 400, 0)),
        block("counter", (0, 60, 0), (200, 340, 120)),
        block("box-side-a", (200, 90, 0), (420, 110, 90)),
        block("box-side-b", (200, 290, 0), (420, 310, 90)),
        block("box-end", (400, 110, 0), (420, 290, 90)),
    ]
    return Compound(children=solids)
