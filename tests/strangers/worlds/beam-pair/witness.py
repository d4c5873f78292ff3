"""One lane under both beams."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (60, -385), (60, 380), [(0, 130), (60, 125), (450, 45), (760, 20)], 46, 24, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
