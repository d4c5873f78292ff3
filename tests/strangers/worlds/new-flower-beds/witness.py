"""A slim trough along the path, with a pocket at the gate."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (0, 328), (0, -60), [(0, 82), (40, 79), (340, 48), (343, 36), (385, 36)], 33, 22, 30 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
