"""A servo at the end of the shelf pushes the roller, which rolls off over the edge."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((115, 110, 120), 180, 112, -60, 110, (60, -35), 0.5)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
