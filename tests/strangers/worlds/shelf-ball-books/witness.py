"""A servo on top of one of the books flicks the ball out from between them."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((60, -38, 300), 0, 125, -85, 50, (33, -105), 1.5)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
