"""A chute that goes on where the old ramp ends."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("chute", (263, 150, 228), (520, 150, 48), 70, 44, 0.0, [40, 225], front=70, edge=24.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
