"""Expected solution: chutes into the middle of the corridor and through it, and a pocket in the goal zone."""

WALL = 3.5 if benchmark.level == 2 else 3.0  # thinner floors of level 2 give way where the ball lands
LEG, MOST_SPAN = 18.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
