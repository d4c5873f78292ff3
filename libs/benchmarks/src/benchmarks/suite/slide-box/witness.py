"""Expected solution: chutes steeper than the angle of friction, wide enough for a box that turns, and a pocket."""

# A leg and a floor bear the blow of a payload whose mass grows with its cube.
longest = max(benchmark.payload.extents_mm)
WALL, LEG, MOST_SPAN = 2.0 + 0.22 * longest, longest, 150.0 if benchmark.level == 3 else 240.0
# include: chutes.py

build_run()
assembly = glued_machine()
