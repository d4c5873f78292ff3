"""A servo's blade pushes the ball along a lane on the shelf; it falls into a pen on the ground."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

block("guide-left", (-115, 30, 220 + GAP), (-1, 33, 245))
block("guide-right", (-115, -33, 220 + GAP), (-1, -30, 245))
driven, servo = paddle((-118, 0), 0, 310, 224, 36, 54, 55, 1.0, 220 + GAP)
pen((2, -60), (170, 60), GAP, 95)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
