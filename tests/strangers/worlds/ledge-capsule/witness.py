"""A servo's blade rolls the capsule over the edge, into a pen."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

driven, servo = paddle((0, 266), -90, 230, 134, 55, 70, 45, 1.2, 130 + GAP)
pen((-80, 60), (80, 195), GAP, 80)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
