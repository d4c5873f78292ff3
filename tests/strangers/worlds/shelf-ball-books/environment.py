from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (0, -200, -20), (450, 200, 0)),
        block("back", (0, -150, 0), (20, 150, 400)),
        block("shelf", (20, -150, 200), (140, 150, 220)),
        block("book-a", (20, -50, 220), (130, -27, 300)),
        block("book-b", (20, 27, 220), (130, 50, 300)),
    ]
    return Compound(children=solids)
