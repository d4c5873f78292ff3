"""The solids that are there before the machine: here only the ground."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant in millimetres; `variant` has the boxes of benchmark.yaml as its seed drew them."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2] / 2) * Box(high[0] - low[0], high[1] - low[1], -low[2])
    ground.label = "ground"  # every solid needs a label of its own
    return Compound(label="environment", children=[ground])
