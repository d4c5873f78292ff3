"""A straight lane between the posts."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (35, 97), (440, 390), [(0, 78), (40, 74), (440, 20)], 50, 24, 10 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
