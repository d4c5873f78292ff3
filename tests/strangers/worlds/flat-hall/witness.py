"""A trough that falls by 28 mm from under the ball to the goal."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (60, 120), (470, 120), [(0, 36), (90, 30), (420, 4)], 56, 24, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
