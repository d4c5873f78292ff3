"""The arm is hinged on the wall's top; fences keep the ball on the ground behind it."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(326, 150, 110 + 9.85 + GAP) * Rot(0, 0, 180)
servo, motor = tilter(frame, 30, 105, 50, 14)
lane(frame, 22, 60, 170, -99.85 - GAP, -40)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
