"""A trough across the gutter's end, with a board that stops the ball, down to the barrel."""

from build123d import Compound
from utils import bond_contacts

# include: arms.py

trough("trough", (-15, 145, 238), (-15, -160, 206), 66, 34, 0.0, [30, 200], back=60, front=40)
add("board", block((22 + GAP, 55, 220), (26, 148, 320)))

assembly = Compound(label="machine", children=parts)
assembly.metadata = {"mechanism": [*bond_contacts(*parts, to=environment)]}
