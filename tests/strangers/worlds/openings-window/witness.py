"""One trough through the window; beyond it the ball drops on a pad before a guard."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("chute", (65, 200, 330), (440, 200, 225), 64, 40, 30.0, [60, 255], back=70)
add("guard", block((565, 140, 30 + GAP), (571, 260, 240)))
for y in (140, 254):
    add(f"side{y}", block((445, y, 30 + GAP), (565 - GAP, y + 6, 150)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
