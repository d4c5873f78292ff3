"""A lane over the stairs in short pieces, each on its own step, and a pocket at their foot."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

for step in range(4):
    left, top = -400 + 100 * step, 160 - 40 * step
    ways = [(0, top + 24), (99.9, top + 12)]
    lane(f"step-{step + 1}", (left, 0), (left + 100, 0), ways, 56, 62, top + GAP, ends=(False, False))
lane("foot", (0, 0), (100, 0), [(0, 24), (120, 14), (123, 3), (210, 3)], 56, 62, GAP, ends=(False, True))
block("top", (-403, -30.5, GAP), (-400.01, 30.5, 250))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
