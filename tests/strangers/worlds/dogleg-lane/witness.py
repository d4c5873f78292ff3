"""Wedges between the walls as floor, each lower than the one before it; a plate at both ends."""

from build123d import Box, Compound, Plane, Polygon, Pos, Rot, extrude
from utils import bond_contacts

# include: panels.py

beyond = Rot(0, 0, 40) * Pos(203.99, 0, 50) * Box(400, 200, 200)  # the bend


def floor(label, place, ways, tops):
    shape = Plane.XZ * Polygon((ways[0], GAP), (ways[1], GAP), (ways[1], tops[1]), (ways[0], tops[0]), align=None)
    body = place * extrude(shape, 17, both=True)
    add(label, body - beyond if ways[1] == 12 else body)


floor("floor-1", Pos(0, 0, 0), (-210, -110.01), (70, 60))
floor("floor-2", Pos(0, 0, 0), (-110, 12), (59.5, 49))
floor("floor-3", Rot(0, 0, 40), (4, 130), (42, 28))
floor("floor-4", Rot(0, 0, 40), (130.01, 258), (27.5, 14))
block("back", (-213, -17, GAP), (-210.01, 17, 110))
add("end", Rot(0, 0, 40) * Pos(259.6, 0, 25.01) * Box(3, 35.9, 50))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
