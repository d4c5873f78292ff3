"""The ground slab and a tower that marks where the ball is released, without touching it."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"

    # The tower stands in the corner behind the start, outside the build zone's reach of the ball.
    x, y, z = variant.payload.start_mm
    side_x, side_y = (1 if x > 0 else -1), (1 if y > 0 else -1)
    edge = 8.0
    corner_x = high[0] - edge / 2 if side_x > 0 else low[0] + edge / 2
    corner_y = high[1] - edge / 2 if side_y > 0 else low[1] + edge / 2
    tower = Pos(corner_x, corner_y, z / 2) * Box(edge, edge, z)
    tower.label = "start-tower"
    return Compound(label="environment", children=[ground, tower])
