"""Expected solution: chutes that burn the height in drops, and a pocket in which the ball comes to rest."""

WALL, LEG = (4.5, 18.0) if benchmark.level == 1 else (5.0, 24.0)
MOST_SPAN = 220.0
# include: chutes.py

build_run()
assembly = glued_machine()
