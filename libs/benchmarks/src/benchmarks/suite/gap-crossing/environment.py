"""The ground slab, and a platform from the ground to the top of every obstacle."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"
    return Compound(label="environment", children=[ground, *(platform(each) for each in variant.obstacles)])


def platform(obstacle) -> Box:
    """Return a block as wide as an obstacle; it stands on the ground even where the obstacle begins higher."""
    low, high = obstacle.box.min_mm, obstacle.box.max_mm
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    solid = Pos(x, y, high[2] / 2) * Box(high[0] - low[0], high[1] - low[1], high[2])
    solid.label = obstacle.label
    return solid
