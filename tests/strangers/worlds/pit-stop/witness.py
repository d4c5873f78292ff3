"""A wall behind the pit stops the flying ball, which falls into the pit."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

add("wall", block((420, 80, 160 + GAP), (428, 160, 240)))
add("rib", block((428 + GAP, 115, 160 + GAP), (470, 125, 220)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
