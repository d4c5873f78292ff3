"""A strong servo lifts the steel ball over the edge of the desk."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(6, 10, 180 + 10 + GAP) * Rot(0, 0, 180)
servo, motor = tilter(frame, 40, 214, 55, 12, "srv-ds3218", wall=4.0)
lane(frame, 27, 20, 160, -10 - GAP, 25, thick=12.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
