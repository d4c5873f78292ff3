"""The trolley has a long nose that reaches under the bridge."""

from build123d import Compound, Pos
from utils import bond_contacts, bonded

# include: arms.py

moving = []
frame = Pos(-60, 10, 0)
motor, deck, driven = pusher(frame, 30, 160, 24, nose=110.0)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
