"""A box of plates on a leg."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

cup((140, 105, 160), (240, 205, 270), floor=6.0)
add("leg", block((175, 140, 10 + GAP), (205, 170, 160 - GAP)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
