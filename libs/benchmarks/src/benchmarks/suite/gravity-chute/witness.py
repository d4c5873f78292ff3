"""Expected solution: a straight chute or, round a column, chutes at right angles, and a pocket in the goal zone."""

WALL = 4.5 if benchmark.level == 2 else 3.0  # a floor of level 2 may lie over 700 mm of closed ground
LEG, MOST_SPAN = (14.0, 340.0) if benchmark.level == 1 else (18.0, 320.0)
# include: chutes.py

build_run()
assembly = glued_machine()
