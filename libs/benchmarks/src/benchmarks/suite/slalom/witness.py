"""Expected solution: chutes at right angles round the open ends of both walls, and a pocket in the goal zone."""

WALL, LEG, MOST_SPAN = 3.0, 18.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
