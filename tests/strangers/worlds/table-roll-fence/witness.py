"""Two fences on the table turn the ball into the corner."""

from build123d import Box, Compound, Pos, Rot
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


add("diagonal", Pos(450, 190, 120) * Rot(0, 0, 50) * Box(240, 5, 40 - 2 * GAP))
add("straight", block((530, 290, 100 + GAP), (535, 400, 135)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
