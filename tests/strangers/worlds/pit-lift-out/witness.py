"""An arm at the edge of the pit lifts the ball to a trough that leads to the goal."""

from build123d import Compound, Pos
from utils import bond_contacts

# include: arms.py

moving = []
frame = Pos(-8, 0, 60)
servo, motor = tilter(frame, 25, 148, 60, 14)
add("stand", block((1, -69, GAP), (22, -27, 60 - 9.85 - GAP)))
trough("trough", (8, 0, 48), (255, 0, 20), 40, 20, 0.0, [30, 215], front=35)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
glued = [*bond_contacts(*parts, servo, to=environment), *bond_contacts(*moving)]
assembly.metadata = {"mechanism": [*glued, motor]}
