"""Expected solution: chutes steeper than the angle of friction, wide enough for a box that turns, and a pocket."""

# A leg bears the blow of a payload whose mass grows with its cube.
WALL, LEG, MOST_SPAN = 8.0, 0.85 * max(benchmark.payload.extents_mm), 180.0
# include: chutes.py

build_run()
assembly = glued_machine()
