"""A lane on the step that leads aside over its edge, and one on the ground that leads to the goal."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("on-step", (-105, -60), (0, -60), [(0, 120), (104, 108)], 36, 24, 60 + GAP, ends=(True, False))
lane("on-ground", (25, -30), (25, -230), [(0, 70), (190, 40)], 44, 30, GAP)
block("stop", (49.51, -100, GAP), (53, -28, 130))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
