"""Expected solution: chutes that burn the height in drops, and a pocket in which the ball comes to rest."""

WALL, LEG, MOST_SPAN = 4.5, 18.0, 220.0
# include: chutes.py

build_run()
assembly = glued_machine()
