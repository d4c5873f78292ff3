"""A flat servo inside the compartment sweeps the cube out."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((-60, 395, 100), 180, 31, -80, 125, (55, -38), 2.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
