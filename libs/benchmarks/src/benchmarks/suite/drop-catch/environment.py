"""The ground slab, and nothing else."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"
    return Compound(label="environment", children=[ground])
