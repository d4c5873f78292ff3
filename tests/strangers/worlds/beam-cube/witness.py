"""A lane of 18 degrees that leads under the bridge, with a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-258, 0), (350, 0), [(0, 222), (60, 204), (470, 70), (473, 44), (590, 40)], 48, 44, GAP)
block("stop", (337.01, -25, GAP), (342, 25, 140))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
