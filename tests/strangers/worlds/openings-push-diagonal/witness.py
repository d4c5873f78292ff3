"""A channel that runs askew through the opening, with a trolley in it."""

from math import atan2, degrees

from build123d import Compound, Pos, Rot
from utils import bond_contacts, bonded

# include: arms.py

moving = []
frame = Pos(-120, -60, 0) * Rot(0, 0, degrees(atan2(120, 240)))
motor, deck, driven = pusher(frame, 30, 272, 24, nose=60.0)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
