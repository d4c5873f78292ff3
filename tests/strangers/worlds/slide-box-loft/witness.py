"""A steep chute of plates with an end wall."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("chute", (-245, 0, 390), (215, 0, 110), 74, 42, 20.0, [60, 240, 430], back=40, front=60, edge=26.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
