"""The ground slab, a wall from side to side where the file has the obstacle `barrier`, columns for other obstacles."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    solids = [block("ground", low, (*high[:2], 0.0))]
    for obstacle in variant.obstacles:
        (x0, y0, _), (x1, y1, top) = obstacle.box.min_mm, obstacle.box.max_mm
        if obstacle.label == "barrier":  # the payload cannot go around it
            y0, y1 = low[1], high[1]
        solids.append(block(obstacle.label, (x0, y0, 0.0), (x1, y1, top)))
    return Compound(label="environment", children=solids)


def block(label, low, high) -> Box:
    """Return a box between two corners."""
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
