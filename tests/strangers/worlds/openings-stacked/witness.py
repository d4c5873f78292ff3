"""One trough through the upper opening, which ends in the goal."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("trough", (0, 580, 300), (0, 90, 190), 50, 32, 10.0, [45, 200, 450], back=50, front=50)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
