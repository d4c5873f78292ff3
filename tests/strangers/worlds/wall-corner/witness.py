"""Three lanes around the end of the wall, each ending above the side of the next."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("first", (-105, -160), (240, -160), [(0, 142), (313.9, 128)], 56, 30, GAP, ends=(True, False))
lane("second", (241.5, -202), (241.5, 0), [(0, 94), (335.4, 80)], 60, 29, GAP, ends=(True, False))
lane("third", (285, 166), (-200, 166), [(0, 48), (330, 33), (333, 10), (405, 10)], 60, 29, GAP)
block("stop-1", (274.01, -204, GAP), (278, -100, 190))
block("stop-2", (200, 198.51, GAP), (288, 202, 140))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
