"""A trough across the mouth of the gutter, with a guard opposite of it."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("trough", (242, -50, 190), (242, 322, 145), 56, 28, 0.0, [60, 330], back=70, front=50)
add("guard", block((274 + GAP, -50, 170), (279, 110, 300)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
