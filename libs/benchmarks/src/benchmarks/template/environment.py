"""The solids that are there before the machine: here only a floor."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant in millimetres; `variant` has the boxes that its seed drew."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    length, width, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    floor = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(length, width, thickness)
    floor.label = "floor"  # every solid needs a label of its own
    return Compound(label="environment", children=[floor])
