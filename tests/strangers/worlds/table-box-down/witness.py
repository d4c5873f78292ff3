"""A servo on the table wipes the box over the front edge."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((-320, 0, 100), 0, 40, -70, 165, (70, -38), 2.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
