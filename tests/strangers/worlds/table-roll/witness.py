"""A servo's blade taps the ball along a lane of two fences on the table; a pen on the ground catches it."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

for number, (low, far) in enumerate(((-275, -40.01), (-40, 195))):
    block(f"fence-left-{number + 1}", (low, 23, 150 + GAP), (far, 26, 170))
    block(f"fence-right-{number + 1}", (low, -26, 150 + GAP), (far, -23, 170))
driven, servo = paddle((-264, 0), 0, 250, 154, 29, 36, 48, 0.4, 150 + GAP)
pen((205, -60), (390, 60), GAP, 70)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
