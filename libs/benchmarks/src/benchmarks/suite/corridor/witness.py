"""Expected solution: chutes into the middle of the corridor and through it, and a pocket in the goal zone."""

WALL = 4.5 if benchmark.level == 2 else 3.5  # thinner floors and panels give way where the ball hits them
LEG, MOST_SPAN = 18.0, 320.0
# include: chutes.py

build_run()
assembly = glued_machine()
