"""Expected solution: chutes at right angles round the open ends of both walls, and a pocket in the goal zone."""

WALL, LEG, MOST_SPAN = 5.0 if benchmark.level < 2 else 6.0, 24.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
