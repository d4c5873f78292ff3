"""A trough across the pit, whose end wall is in the goal."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("bridge", (202, 0, 140), (605, 0, 110), 50, 25, 0.0, [15, 200], front=35)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
