"""A servo at the edge of the shelf turns up an arm with the ball in it."""

from build123d import Compound, Pos
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(-6, 0, 120 + 9.85 + GAP)
servo, motor = tilter(frame, 30, 144, 55, 14)
lane(frame, 22, 18, 140, -9.85 - GAP, 20)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
