"""A servo's blade taps the ball along a lane of fences; a pen on the stool catches it."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

for number, (low, far) in enumerate(((-178, -10.01), (-10, 156))):
    block(f"fence-left-{number + 1}", (34, low, 210 + GAP), (37, far, 228))
    block(f"fence-right-{number + 1}", (83, low, 210 + GAP), (86, far, 228))
driven, servo = paddle((60, -174), 90, 310, 214, 29, 36, 48, 0.4, 210 + GAP)
pen((20, 172), (97, 285), 60 + GAP, 120)

assembly = Compound(label="machine", children=[*parts, servo])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), *driven]}
