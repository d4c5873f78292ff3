"""A guard board at the far end of the gutter zone."""

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


add("board", block((262, -110, GAP), (268, 110, 130)))
for y in (-116, 110):
    add(f"side{y}", block((208, y, GAP), (262 - GAP, y + 6, 110)))
for y in (-80, 80):
    add(f"rib{y}", block((268 + GAP, y - 4, GAP), (310, y + 4, 90)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
