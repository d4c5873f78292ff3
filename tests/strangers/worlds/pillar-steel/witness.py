"""A servo on a tower beside the pillar pushes the ball off it into a pen before the wall."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((180, 150), 0, 190, 93, 38, 44, 40, 1.2, GAP)
pen((233, 90), (365, 210), GAP, 60)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
