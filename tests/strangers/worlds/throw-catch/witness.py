"""A basket with a low front and a high back wall on a leg."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

add("floor", block((290, 70, 85), (414, 170, 92)))
add("front", block((284, 70, 85), (290 - GAP, 170, 174)))
add("back", block((414 + GAP, 70, 85), (421, 170, 270)))
for name, y in (("left", 64), ("right", 170 + GAP)):
    add(name, block((284, y, 85), (421, y + 6 - GAP, 230)))
add("leg", block((340, 95, GAP), (390, 145, 85 - GAP)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
