"""Expected solution: chutes clear of all that the arm sweeps, and a pocket in the goal zone."""

WALL, LEG, MOST_SPAN = 3.5, 18.0, 320.0
# include: chutes.py

closed = boxes
build_run()
assembly = glued_machine()
