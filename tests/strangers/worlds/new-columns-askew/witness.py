"""A thin-walled trough between the columns."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (90.7, 423), (322, 147), [(0, 56), (60, 52), (390, 12)], 45, 24, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
