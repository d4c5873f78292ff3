"""Expected solution: chutes that cross the gap between legs on its two sides, and a pocket in the goal zone."""

WALL = 3.0 if benchmark.level == 3 else 4.0  # a floor of levels 1 and 2 bears itself, and a ball that fell deep
LEG, MOST_SPAN = 18.0, 320.0
# include: chutes.py

beside_legs = solids
build_run()
assembly = glued_machine()
