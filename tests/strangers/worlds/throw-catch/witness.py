"""A basket with a low front and a high back wall on a leg."""

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


add("floor", block((290, 70, 85), (414, 170, 92)))
add("front", block((284, 70, 85), (290 - GAP, 170, 174)))
add("back", block((414 + GAP, 70, 85), (421, 170, 270)))
for name, y in (("left", 64), ("right", 170 + GAP)):
    add(name, block((284, y, 85), (421, y + 6 - GAP, 230)))
add("leg", block((340, 95, GAP), (390, 145, 85 - GAP)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
