"""Expected solution: chutes at right angles round the open ends of both walls, and a pocket in the goal zone."""

WALL = 3.0 if benchmark.level == 3 else 3.8  # thinner floors of levels 1 and 2 give way where the ball lands
LEG, MOST_SPAN = 18.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
