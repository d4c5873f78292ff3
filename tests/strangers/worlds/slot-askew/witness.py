"""One straight lane through the slot, and a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-177, -222), (180, 220), [(0, 112), (30, 108), (490, 58), (493, 44), (560, 44)], 31, 22, GAP, wall=2.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
