"""A wall behind the pit stops the flying ball, which falls into the pit."""

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


add("wall", block((420, 80, 160 + GAP), (428, 160, 240)))
add("rib", block((428 + GAP, 115, 160 + GAP), (470, 125, 220)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
