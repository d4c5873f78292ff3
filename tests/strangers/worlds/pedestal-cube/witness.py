"""A servo on a tower beside the column pushes the cube off it, into a pen."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((0, 32), -90, 215, 124, 36, 40, 50, 1.2, GAP)
pen((-60, -160), (60, -29), GAP, 70)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
