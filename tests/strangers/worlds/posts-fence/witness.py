"""A lane along the fence, which ends above the side of a second one through the gap."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("first", (-200, -150), (100, -150), [(0, 134), (308.9, 112)], 46, 24, GAP, ends=(True, False))
lane("second", (135, -190), (135, 200), [(0, 76), (340, 40), (343, 22), (400, 22)], 46, 28, GAP)
block("stop", (160.51, -192, GAP), (164, -110, 165))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
