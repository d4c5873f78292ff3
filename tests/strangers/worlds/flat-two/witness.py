"""One wide lane that falls by 20 mm to a flat end in the goal."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (5, 0), (430, 0), [(0, 46), (60, 43), (360, 26), (425, 25)], 74, 16, 20 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
