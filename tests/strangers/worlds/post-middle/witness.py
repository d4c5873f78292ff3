"""A lane that leads past the post to the side of the goal, and a pocket in it."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-265, -12), (230, 145), [(0, 125), (50, 120), (440, 50), (443, 26), (530, 26)], 56, 32, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
