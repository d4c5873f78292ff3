"""A floor that falls between the walls, and a back plate."""

from build123d import Compound, Plane, Polygon, extrude
from utils import bond_contacts

# include: panels.py

block("back", (61, -23.5, 100 + GAP), (64, 23.5, 200))
for number, (low, far) in enumerate(((64.01, 229.99), (230, 394.99), (395, 560), (560.01, 640))):
    up, down = (148 - 0.5 * number - 0.075 * (way - 64) for way in (low, far))  # each a little lower
    shape = Plane.XZ * Polygon((low, 100 + GAP), (far, 100 + GAP), (far, down), (low, up), align=None)
    add(f"floor-{number + 1}", extrude(shape, 23.5, both=True))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
