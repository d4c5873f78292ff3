"""A deep cup on the block."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

cup((-52, -52, 80 + GAP), (52, 52, 250), floor=5.0)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
