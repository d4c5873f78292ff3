"""A fence askew on the ramp, and three walls at its foot."""

from math import atan2, degrees

from build123d import Compound, Pos, Rot
from utils import bond_contacts

# include: panels.py

plane = Pos(0, 0, 110) * Rot(0, degrees(atan2(110, 300)), 0) * Pos(60, -120, 0) * Rot(0, 0, degrees(atan2(180, 255)))
for number, way in enumerate((0, 155.5)):
    add(f"fence-{number + 1}", plane * Pos(way + 77.75, -2, 15 + GAP) * Box(155.5 - GAP, 4, 30))
block("wall-right", (308, 57, GAP), (440, 61, 50))
block("wall-left", (301, 148, GAP), (440, 152, 50))
block("wall-end", (440 + GAP, 57, GAP), (444, 152, 50))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
