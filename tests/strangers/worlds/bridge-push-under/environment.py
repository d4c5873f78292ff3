from build123d import Box, Compound, Pos


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("ground", (-400, -200, -20), (300, 200, 0)),
        block("pillar-left", (0, 90, 0), (60, 130, 36)),
        block("pillar-right", (0, -130, 0), (60, -90, 36)),
        block("deck", (0, -130, 36), (60, 130, 60)),
    ]
    return Compound(children=solids)
