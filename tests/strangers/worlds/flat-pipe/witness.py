"""A wide trough along -x, in which the pin rolls."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (200, 0), (-200, 0), [(0, 764), (60, 760), (400, 734)], 130, 14, 730 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
