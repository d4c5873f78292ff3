"""A wide box of plates on a leg."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

cup((-65, -40, 125), (60, 45, 220), floor=6.0)
for number, x in enumerate((-40, 10)):
    add(f"leg{number}", block((x, -10, GAP), (x + 25, 15, 125 - GAP)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
