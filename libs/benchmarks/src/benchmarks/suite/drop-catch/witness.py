"""Expected solution: a cup under the ball or, where the goal is aside, chutes that lead to a pocket in it."""

WALL, LEG = (5.0, 24.0) if benchmark.level == 3 else (4.0, 18.0)
MOST_SPAN = 250.0 if benchmark.level == 3 else 320.0  # longer floors bend by 2 % under a ball that fell deep
# include: chutes.py


def build_cup():
    """Build a pocket on a leg straight below the start; after a deep fall the payload bounces."""
    cup = Chute("cup", (start_x, start_y), (start_x + 200, start_y), False, False)
    floor_z = max(goal.max_mm[2] - 0.8 * size, build.min_mm[2] + 15)
    fall = start_z - size / 2 - floor_z
    z = (floor_z - WALL, floor_z + min(max(1.2 * size, size / 2 + 0.2 * fall), fall - 12))
    begin, end, inner = corner - width / 2, corner + width / 2, width / 2
    cup.floor_at = floor_z + lip
    cup.upright("floor", (begin, end), (-inner, inner), (z[0], floor_z))
    cup.upright("back", (begin - GAP - WALL, begin - GAP), (-outer, outer), z)
    cup.upright("front", (end + GAP, end + GAP + WALL), (-outer, outer), z)
    cup.upright("left", (begin, end), (inner + GAP, outer), z)
    cup.upright("right", (begin, end), (-outer, -inner - GAP), z)
    places = [(along, 0.0) for along in (corner, corner - 12, corner + 12)]
    cup.leg("leg", cup.footing(places, 0.0, 1.5 * LEG, []), 0.0, 1.5 * LEG)


if is_near(start_x, start_y, goal.min_mm, goal.max_mm, -8):
    build_cup()
else:
    build_run()
assembly = glued_machine()
