"""A floor from the one side to the other between the walls, with its own walls over the pit, and a lane to the goal."""

from build123d import Compound, Plane, Polygon, Pos, extrude
from utils import bond_contacts

# include: panels.py

def board(label, low, high, aside, foot=GAP):
    shape = Plane.XZ * Polygon((low[0], foot), (high[0], foot), (high[0], high[1]), (low[0], low[1]), align=None)
    add(label, Pos(0, aside[0], 0) * extrude(shape, aside[1], both=True))


block("back", (-258, -25, GAP), (-254.01, 25, 110))
board("floor-1", (-254, 62), (-90.01, 46), (0, 25.5))
board("floor-2", (-90, 45.5), (89.99, 30), (0, 22.9))
board("floor-3", (90, 29.5), (230, 16), (0, 25.5))
for label, side in (("left", 1), ("right", -1)):
    board(f"rail-{label}", (-90, 70), (89.99, 60), (side * 24.21, 1.3))
lane("end", (230.02, 0), (310, 0), [(0, 6), (70, 5)], 51, 40, GAP, ends=(False, True))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
