"""A trough that falls by 45 mm to a pocket in the corner."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (95, 145), (-250, 290), [(0, 72), (60, 66), (300, 40), (303, 8), (378, 8)], 76, 45, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
