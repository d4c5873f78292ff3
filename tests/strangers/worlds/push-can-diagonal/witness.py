"""A trolley in a channel that runs at 30 degrees to the walls of the room."""

from math import atan2, degrees

from build123d import Compound, Pos, Rot
from utils import bond_contacts, bonded

# include: arms.py

moving = []
frame = Pos(250, 200, 0) * Rot(0, 0, degrees(atan2(125, 200)))
motor, deck, driven = pusher(frame, 40, 225, 34)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
