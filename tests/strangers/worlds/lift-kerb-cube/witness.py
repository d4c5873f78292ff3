"""A wedge before the kerb, and a trolley that pushes the cube up and along it."""

from build123d import Compound, Plane, Polygon, Pos, extrude
from utils import bond_contacts, bonded

# include: arms.py

moving = []
motor, deck, driven = pusher(Pos(0, 0, 0), 40, 290, 56, low=26.0)
wedge = Polygon((34, GAP), (230 - GAP, GAP), (230 - GAP, 20), (38, 2.2), align=None)
add("wedge", extrude(Plane.XZ * wedge, 24, both=True))

assembly = Compound(label="machine", children=[*parts, motor, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment), bonded(motor, deck), driven]}
