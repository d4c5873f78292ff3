"""The ground slab, and posts where the file has obstacles."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    solids = [block("ground", low, (*high[:2], 0.0))]
    solids += [block(each.label, (*each.box.min_mm[:2], 0.0), each.box.max_mm) for each in variant.obstacles]
    return Compound(label="environment", children=solids)


def block(label, low, high) -> Box:
    """Return a box between two corners."""
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    solid = Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid
