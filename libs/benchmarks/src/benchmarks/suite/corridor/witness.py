"""Expected solution: chutes into the middle of the corridor and through it, and a pocket in the goal zone."""

# A floor of level 3 spans the closed ground of the corridor.
WALL, LEG = {1: (3.5, 18.0), 2: (5.0, 24.0), 3: (0.3 * benchmark.payload.size_mm - 1, 24.0)}[benchmark.level]
MOST_SPAN = 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
