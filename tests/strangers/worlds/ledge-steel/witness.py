"""A servo pushes the ball along the ledge into a lane that leads down to the goal."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((150, 231), -90, 200, 114, 25, 30, 50, 1.2, 110 + GAP)
lane("lane", (90, 135), (640, 135), [(0, 62), (110, 56), (540, 14)], 60, 45, GAP, wall=3.0)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
