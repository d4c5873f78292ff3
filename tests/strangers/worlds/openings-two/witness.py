"""A straight lane through the wide opening, and a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-190, -212), (210, 205), [(0, 160), (60, 150), (490, 70), (493, 46), (575, 46)], 56, 32, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
