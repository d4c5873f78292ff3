"""One trough along the mat with a slope of 6 %, and an end wall in the circle."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

lane("trough", (180, 635), (180, 130), [(0, 36), (60, 32), (500, 5)], 62, 28, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
