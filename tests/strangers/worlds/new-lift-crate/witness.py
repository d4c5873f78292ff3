"""A servo at the crate's edge turns up an arm with the ball, which rolls into a lane on the crate."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(50, -14, 95 + 9.85 + GAP) * Rot(0, 0, -90)
servo, motor = tilter(frame, 36, 126, 48, 14)
lane(frame, 25, 18, 165, -9.85 - GAP, 22)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
