"""A short arm beside the low podium turns the ball up on to it."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(0, -6, 60 + 9.85 + GAP) * Rot(0, 0, 90)
servo, motor = tilter(frame, 50, 84, 45, 14)
lane(frame, 32, 20, 190, -9.85 - GAP, 28)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
