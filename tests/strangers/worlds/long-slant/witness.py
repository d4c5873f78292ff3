"""One straight lane, askew through the workshop, with a slope of 5 %."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("lane", (-530, -338), (500, 300), [(0, 122), (60, 118), (1215, 60)], 48, 24, 50 + GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
