"""Expected solution: chutes clear of all that the arm sweeps, and a pocket in the goal zone."""

# A leg fits beside a smaller ball, and bears a larger one; so do the panels that stop the ball at a corner.
size_mm = benchmark.payload.size_mm
WALL, LEG, MOST_SPAN = max(5.0, 0.3 * size_mm - 1.0), 8.0 + 0.4 * size_mm, 320.0
# include: chutes.py

closed = boxes
build_run()
assembly = glued_machine()
