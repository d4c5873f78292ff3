"""A guard board at the far end of the gutter zone."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

add("board", block((262, -110, GAP), (268, 110, 130)))
for y in (-116, 110):
    add(f"side{y}", block((208, y, GAP), (262 - GAP, y + 6, 110)))
for y in (-80, 80):
    add(f"rib{y}", block((268 + GAP, y - 4, GAP), (310, y + 4, 90)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
