from build123d import Box, Compound, Plane, Polygon, Pos, extrude


def block(label, low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def build(variant):
    solids = [
        block("floor", (-100, -200, 0), (700, 100, 20)),
        block("platform", (-30, -150, 20), (70, 40, 160)),
        block("edge-back", (18, -20, 160), (22, 20, 164)),
        block("edge-front", (50, -20, 160), (54, 20, 164)),
        block("stop", (600, -50, 20), (620, 50, 120)),
    ]
    for label, y, half, high in (("track", 0, 20, 0), ("rail-a", 24, 4, 25), ("rail-b", -24, 4, 25)):
        side = [(70, 20), (400, 20), (400, 20.5 + high), (70, 160 + high)]
        solid = Pos(0, y, 0) * extrude(Plane.XZ * Polygon(*side, align=None), half, both=True)
        solid.label = label
        solids.append(solid)
    for label, y in (("curb-a", 28), ("curb-b", -32)):
        solids.append(block(label, (400, y, 20), (600, y + 4, 50)))
    return Compound(children=solids)
