"""Expected solution: a straight chute or, round a column, chutes at right angles, and a pocket in the goal zone."""

# A floor of level 2 may lie over 700 mm of closed ground; a leg of level 3 fits beside a smaller ball.
WALL, LEG = {1: (3.0, 14.0), 2: (4.5, 18.0), 3: (5.0, 8.0 + 0.4 * benchmark.payload.size_mm)}[benchmark.level]
MOST_SPAN = 340.0 if benchmark.level == 1 else 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
