"""The servo's blade starts in the gap behind the cube and draws it out of the corner."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((150, 69, 50), 0, 176.5, 75, 128, (85, -38), 2.0, thick=3.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
