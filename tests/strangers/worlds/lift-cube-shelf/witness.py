"""An arm turns the cube up until it slides off over the hinge."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(0, -232, 120 + 9.85 + GAP) * Rot(0, 0, 90)
servo, motor = tilter(frame, 28, 122, 50, 32)
lane(frame, 22, 24, 190, -9.85 - GAP, 25)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
