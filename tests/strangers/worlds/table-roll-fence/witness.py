"""Two fences on the table turn the ball into the corner."""

from build123d import Box, Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

add("diagonal", Pos(450, 190, 120) * Rot(0, 0, 50) * Box(240, 5, 40 - 2 * GAP))
add("straight", block((530, 290, 100 + GAP), (535, 400, 135)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
