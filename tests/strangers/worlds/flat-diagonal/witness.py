"""One straight trough from corner to corner."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (-203, -203), (150, 150), [(0, 57), (40, 50), (525, 5)], 66, 28, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
