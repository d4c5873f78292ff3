"""A trough from below the spout into the goal; its floor slopes to the end wall."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("trough", (-28, 0, 175), (315, 0, 115), 46, 35, 0.0, [40, 300], back=50, front=40)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
