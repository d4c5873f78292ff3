"""A narrow trough along y that falls by 7 mm; its end is in the goal."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (0, -140), (0, 110), [(0, 9), (30, 8.5), (262, 2)], 21, 10, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
