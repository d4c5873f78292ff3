"""The ground slab, and a thin wall from the ground to the top of every forbid zone."""

from build123d import Box, Compound, Pos


def build(variant) -> Compound:
    """Return the solids of one variant, in millimetres."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    width, depth, thickness = high[0] - low[0], high[1] - low[1], -low[2]
    ground = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, -thickness / 2) * Box(width, depth, thickness)
    ground.label = "ground"
    return Compound(label="environment", children=[ground, *(wall(zone) for zone in variant.forbid_zones)])


def wall(zone) -> Box:
    """Return a wall in the middle of a forbid zone; it stands on the ground even where the zone begins higher."""
    low, high = zone.box.min_mm, zone.box.max_mm
    thickness = 12.0
    solid = Pos((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[2] / 2) * Box(thickness, high[1] - low[1], high[2])
    solid.label = f"{zone.label}-wall"
    return solid
