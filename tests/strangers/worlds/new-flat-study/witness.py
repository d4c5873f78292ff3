"""A small trough, askew past the cupboard, which ends in a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (32.9, 171.4), (-145, -125), [(0, 33), (50, 30), (300, 14), (303, 5), (368, 5)], 36, 20, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
