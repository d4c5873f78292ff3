"""A trolley whose rail lies on the ramp pushes the cube up to the table."""

from math import atan2, degrees

from build123d import Compound, Pos, Rot
from utils import bond_contacts, bonded

# include: arms.py

moving = []
slope = degrees(atan2(100, 400))
frame = Pos(216.85, 0, 54.2125) * Rot(0, -slope, 0)
motor, deck, driven = pusher(frame, 40, 240, 31)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
