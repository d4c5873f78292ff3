"""A servo on the counter sweeps the tin over the edge, into a low pen on the floor."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((60, -70, 180), 0, 60, 75, 118, (55, -36), 1.5)
add("pen-far", block((-175, -80, GAP), (-172, 120, 45)))
add("pen-near", block((-171.99, -80, GAP), (-GAP, -77, 45)))
add("pen-end", block((-171.99, 117, GAP), (-GAP, 120, 45)))

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
