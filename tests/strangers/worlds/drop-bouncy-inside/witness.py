"""A deep cup on the block."""

from build123d import Box, Compound, Pos
from utils import ManufacturingMethod, bond_contacts

GAP = 0.01  # parts that touch keep this distance
parts = []


def add(label, shape, to=parts):
    shape.label = label
    shape.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    to.append(shape)
    return shape


def block(low, high):
    x, y, z = ((a + b) / 2 for a, b in zip(low, high))
    return Pos(x, y, z) * Box(*(b - a for a, b in zip(low, high)))


def cup(low, high, floor=5.0, wall=4.0):
    """A box of plates without a lid."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    add("cup-floor", block(low, (x1, y1, z0 + floor)))
    z0 += floor + GAP
    add("cup-left", block((x0, y0, z0), (x0 + wall, y1, z1)))
    add("cup-right", block((x1 - wall, y0, z0), (x1, y1, z1)))
    add("cup-front", block((x0 + wall + GAP, y0, z0), (x1 - wall - GAP, y0 + wall, z1)))
    add("cup-back", block((x0 + wall + GAP, y1 - wall, z0), (x1 - wall - GAP, y1, z1)))


cup((-52, -52, 80 + GAP), (52, 52, 250), floor=5.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
