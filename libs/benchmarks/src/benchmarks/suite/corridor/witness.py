"""Expected solution: chutes into the middle of the corridor and through it, and a pocket in the goal zone."""

WALL, LEG, MOST_SPAN = 3.0, 18.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
