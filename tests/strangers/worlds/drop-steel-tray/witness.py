"""A tray with a thick floor on a stout leg."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

cup((-38, -38, 135), (18, 18, 205), floor=8.0)
add("leg", block((-26, -26, GAP), (6, 6, 135 - GAP)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
