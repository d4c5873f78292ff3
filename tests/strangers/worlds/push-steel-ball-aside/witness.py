"""A trolley in a channel pushes the ball to the end wall."""

from build123d import Compound, Pos, Rot
from utils import bond_contacts, bonded

# include: arms.py

moving = []
frame = Pos(10, -60, 0) * Rot(0, 0, 90)
motor, deck, driven = pusher(frame, 30, 345, 25, end=24.0)

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
