"""Expected solution: chutes that cross the gap between legs on its two sides, and a pocket in the goal zone."""

WALL, LEG, MOST_SPAN = 3.0, 18.0, 320.0
# include: chutes.py

beside_legs = solids
build_run()
assembly = glued_machine()
