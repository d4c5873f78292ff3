"""A lane along the wall, which ends above the side of a second one through the gate."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("first", (-170, -220), (-170, 150), [(0, 200), (363, 160)], 48, 28, GAP, ends=(True, False))
lane("second", (-212, 172), (180, 172), [(0, 118), (300, 80), (303, 58), (375, 58)], 52, 32, GAP)
block("stop", (-214, 200.51, GAP), (-120, 204, 215))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
