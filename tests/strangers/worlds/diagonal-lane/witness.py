"""A sloping floor between the walls, which guide the ball, and a short lane beyond them."""

from build123d import Compound, Plane, Polygon, Rot, extrude
from utils import bond_contacts

# include: panels.py

lane("mouth", (-145, -101.5), (0, 0), [(0, 61), (26, 58.5)], 39, 24, GAP, ends=(True, False))
for number, (low, far) in enumerate(((-150, -50.01), (-50, 50), (50.01, 150))):
    up, down = (39.4 - 0.5 * number - 0.12 * way for way in (low, far))  # each a little lower
    floor = extrude(Plane.XZ * Polygon((low, GAP), (far, GAP), (far, down), (low, up), align=None), 19.5, both=True)
    add(f"floor-{number + 1}", Rot(0, 0, 35) * floor)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
