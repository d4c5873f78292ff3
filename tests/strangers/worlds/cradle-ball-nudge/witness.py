"""A servo beside the notch pushes the ball over its edge; the track does the rest."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

moving = []
servo, motor = sweeper((36, -110, 160), 0, 107, -32, 128, (95, -36), 1.0)

assembly = Compound(label="machine", children=[*parts, servo, *moving])
assembly.metadata = {"mechanism": [*bond_contacts(*parts, servo, to=environment), motor]}
