"""Expected solution: chutes that cross the gap between legs on its two sides, and a pocket in the goal zone."""

WALL = 4.0 if benchmark.level == 2 else 3.0  # of level 2 the floor over a wide gap bears itself
LEG, MOST_SPAN = 18.0, 320.0
# include: chutes.py

beside_legs = solids
build_run()
assembly = glued_machine()
