"""A servo's blade pushes the box over the edge of the table, into a pen."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((100, -112), -90, 340, 174, 45, 64, 26, 1.5, 170 + GAP)
pen((5, -360), (195, -194), 20 + GAP, 130)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
