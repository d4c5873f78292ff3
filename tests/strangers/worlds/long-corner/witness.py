"""A lane along the long arm, which ends above the side of a second one; a plate stops the ball there."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("first", (20, 20), (860, 20), [(0, 200), (849, 130)], 52, 30, GAP, ends=(True, False))
lane("second", (900, -20), (900, 500), [(0, 90), (430, 50), (433, 30), (500, 30)], 56, 34, GAP)
block("stop", (930.51, -22, GAP), (934, 80, 190))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
