"""Two troughs: along the wall to the wide opening, and through it."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("along", (-150, 100, 265), (-150, -110, 230), 56, 36, 0.0, [30, 180], back=60)
trough("through", (-190, -150, 200), (240, -150, 75), 60, 34, 0.0, [40, 400], back=70, front=60)
add("far", block((-185, -188, 180), (-90, -184 - GAP, 300)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
