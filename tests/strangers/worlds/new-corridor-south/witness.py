"""One trough askew down the corridor with a slope of 4 %, and a pocket."""

from build123d import Compound
from utils import bond_contacts

# include: panels.py

floor = [(0, 88), (60, 84), (1090, 40), (1093, 15), (1160, 15)]
lane("trough", (-63.8, 594.8), (62, -558.4), floor, 68, 28, GAP)

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
