"""Expected solution: chutes clear of all that the arm sweeps, and a pocket in the goal zone."""

# A leg fits beside a smaller ball, and bears a larger one.
WALL, LEG, MOST_SPAN = 5.0, 8.0 + 0.4 * benchmark.payload.size_mm, 320.0
# include: chutes.py

closed = boxes
build_run()
assembly = glued_machine()
