"""A lane with an inside of 37 mm that slips between the beds, and a pocket behind them."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (0, -305), (0, 300), [(0, 102), (40, 96), (575, 50), (578, 32), (650, 32)], 37, 26, GAP, wall=2.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
