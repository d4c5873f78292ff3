"""The ground slab, a cabinet under the goal zone whose top is the shelf, and columns where the file has obstacles."""

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
    columns = [column(obstacle) for obstacle in variant.obstacles]
    return Compound(label="environment", children=[ground, shelf, *columns])


def column(obstacle) -> Box:
    """Return the column of an obstacle, from the ground to its top."""
    (x0, y0, _), (x1, y1, top) = obstacle.box.min_mm, obstacle.box.max_mm
    solid = block((x0, x1), (y0, y1), (0, top))
    solid.label = obstacle.label
    return solid


def block(x, y, z) -> Box:
    """Return a box between two values of each coordinate."""
    return Pos(sum(x) / 2, sum(y) / 2, sum(z) / 2) * Box(x[1] - x[0], y[1] - y[0], z[1] - z[0])
