"""Expected solution: chutes that cross the gap between legs on its two sides, and a pocket in the goal zone."""

# A leg of level 3 fits under a smaller pocket, and bears a larger ball.
WALL, LEG = (6.0, 8.0 + 0.4 * benchmark.payload.size_mm) if benchmark.level == 3 else (4.0, 18.0)
MOST_SPAN = 320.0
# include: chutes.py

beside_legs = solids
build_run()
assembly = glued_machine()
