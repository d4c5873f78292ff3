"""A servo on the stand next to the pedestal knocks the can off."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((-72, -38, 170), 90, -30, 85, 105, (50, 3), 1.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
