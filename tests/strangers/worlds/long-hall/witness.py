"""One lane along the hall with a slope of 7 %, and a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (80, 150), (1400, 150), [(0, 105), (1230, 50), (1233, 26), (1300, 26)], 58, 30, GAP)
block("stop", (1385.01, 118, GAP), (1391, 182, 110))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
