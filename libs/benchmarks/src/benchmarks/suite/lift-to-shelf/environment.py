"""The ground slab, and a cabinet under the goal zone whose top is the shelf."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = block((low[0], high[0]), (low[1], high[1]), (low[2], 0))
    ground.label = "ground"

    # The cabinet begins where the goal zone does and reaches to the end of the world behind it.
    goal = variant.goal_zone
    is_right = goal.center_mm[0] > variant.payload.start_mm[0]
    depth = (goal.min_mm[0], high[0]) if is_right else (low[0], goal.max_mm[0])
    shelf = block(depth, (low[1], high[1]), (0, goal.min_mm[2] - 2))
    shelf.label = "shelf"
    return Compound(label="environment", children=[ground, shelf])


def block(x, y, z) -> Box:
    """Return a box between two values of each coordinate."""
    return Pos(sum(x) / 2, sum(y) / 2, sum(z) / 2) * Box(x[1] - x[0], y[1] - y[0], z[1] - z[0])
