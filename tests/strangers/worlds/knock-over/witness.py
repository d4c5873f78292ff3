"""A servo's blade pushes the cylinder over the edge; a pen holds it."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((-75, 0), 0, 275, 165, 40, 50, 50, 1.2, 160 + GAP)
pen((4, -70), (140, 70), GAP, 100)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
