"""A lane that is steep at first and flat below the beam, with a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-330, 0), (320, 0), [(0, 150), (100, 140), (250, 42), (560, 30), (563, 10), (640, 10)], 58, 30, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
