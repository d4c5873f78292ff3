"""A servo nudges the box on to the ramp; it slides down by itself."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((70, 90, 300), 180, 115, -75, 95, (40, -38), 2.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
