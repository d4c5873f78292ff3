"""Balls that are released or roll: tight starts, loose parts, and goals that are only grazed or passed."""

from tests.support.cheats.case import Case, World, ball, cube

ROOM = ("no_room",)
LOST = ("left_bounds",)
GOAL = ("missed_goal", "left_bounds")
_FLOOR = {"floor": ((-300.0, -300.0, -10.0), (300.0, 300.0, 0.0))}


def _drop_world(height: float = 200.0) -> World:
    """A ball above a goal on the floor, which a ball that misses the cup leaves at once."""
    return World(solids=_FLOOR, payload=ball((0, 0, height)), goal=((-22, -22, 30), (22, 22, 60)), duration_s=3.0)


def _cup(opening: float, tube: str = "") -> str:
    """A cup on a pillar, narrower at its opening than a random start is wide."""
    half = opening / 2
    return (
        f"cup = block((-45, 45), (-45, 45), (GAP, 60)) - block(({-half:g}, {half:g}), ({-half:g}, {half:g}), (8, 61))\n"
        f"add('cup', cup)\nmechanism += [bonded('cup', 'floor')]\n{tube}"
    )


def _shaft(gap: float, low: float = 170.0, high: float = 230.0) -> str:
    """Four walls around the start, on a post beside the cup."""
    inner = 20 + gap
    outer = inner + 6
    return (
        f"shaft = block(({-outer:g}, {outer:g}), ({-outer:g}, {outer:g}), ({low:g}, {high:g}))"
        f" - block(({-inner:g}, {inner:g}), ({-inner:g}, {inner:g}), ({low - 1:g}, {high + 1:g}))\n"
        "add('shaft', shaft)\n"
        f"add('post', block((50, 70), (-15, 15), (GAP, {high:g})))\n"
        f"add('link', block(({outer + 0.01:g}, 50 - GAP), (-15, 15), ({low:g}, {low + 40:g})))\n"
        "mechanism += [bonded('post', 'floor'), bonded('link', 'post'), bonded('link', 'shaft')]\n"
    )


def _shelf_world(edge: float = 80.0) -> World:
    """A block that falls by 1 mm onto a table; the floor ends near it."""
    return World(
        solids={"floor": ((-150, -150, -10), (edge, 150, 0))},
        payload=cube((0, 0, 121)),
        goal=((-30, -30, 90), (30, 30, 100.5)),
        bounds=((-400, -400, -150), (400, 400, 500)),
        build_zone=((-150, -150, 0), (edge, 150, 400)),
        hold_s=2.5,
        duration_s=5.0,
    )


def _table(loose: str) -> str:
    return f"add('table', Pos(0, 0, 50) * Box(70, 70, 100 - 2 * GAP))\nmechanism += [bonded('table', 'floor')]\n{loose}"


def _slope_with_brick(angle: float) -> str:
    """A brick that lies unfastened on a slope."""
    return (
        f"frame = Pos(20, -90, 30) * Rot(0, {angle:g}, 0)\n"
        "add('slope', (frame * Box(90, 40, 70)) & block((-150, 150), (-150, 0), (GAP, 200)))\n"
        "add('brick', frame * Pos(-20, 0, 35 + GAP + 10) * Box(30, 30, 20), 'pom')\n"
        "mechanism += [bonded('slope', 'floor')]\n"
    )


def _roll_world(goal_x: tuple[float, float], rule: str, *, hold_s: float = 0.3, end: float = 300.0) -> World:
    """A ball above a gutter; the goal lies across it."""
    return World(
        solids=_FLOOR,
        payload=ball((-150, 0, 152)),
        goal=((goal_x[0], -30, 60), (goal_x[1], 30, 170)),
        hold_s=hold_s,
        duration_s=6.0,
        rules={} if rule == "touch" else {"goal_rule": rule},
    )


def _gutter(slope_deg: float, end: str) -> str:
    """A gutter along x on two legs; `end` is what stops the ball."""
    return (
        f"slope = {slope_deg:g}\n"
        "frame = Pos(0, 0, 110) * Rot(0, slope, 0)\n"
        "add('bottom', frame * Box(380, 60, 6))\n"
        "for name, y in (('left', 33.01), ('right', -33.01)):\n"
        "    add(name, frame * Pos(0, y, 10) * Box(380, 6, 40))\n"
        "    mechanism.append(bonded(name, 'bottom'))\n"
        "add('back', frame * Pos(-193.01, 0, 10) * Box(6, 66, 40))\n"
        "mechanism.append(bonded('back', 'bottom'))\n"
        "under = frame * Pos(0, 0, -3 - GAP - 200) * Box(900, 900, 400)\n"
        "for n, x in enumerate((-120, 120)):\n"
        "    add(f'leg_{n}', block((x - 20, x + 20), (-25, 25), (GAP, 150)) & under)\n"
        "    mechanism += [bonded(f'leg_{n}', 'floor'), bonded(f'leg_{n}', 'bottom')]\n"
        f"{end}"
    )


def _stop_at(x: float) -> str:
    return (
        f"add('stop', frame * Pos({x:g}, 0, 3 + GAP + 15) * Box(6, 59.9, 30))\n"
        "mechanism.append(bonded('stop', 'bottom'))\n"
    )


CHEATS = (
    Case(
        "tube_0.01",
        "four walls 0.01 mm from the ball at its start: no random start fits",
        _drop_world(),
        _cup(43, _shaft(0.01)),
        ROOM,
    ),
    Case("tube_0.5", "four walls 0.5 mm from the ball at its start", _drop_world(), _cup(44, _shaft(0.5)), ROOM),
    Case(
        "tube_1", "four walls 1 mm from the ball at its start", _drop_world(150), _cup(45, _shaft(1.0, 125, 180)), ROOM
    ),
    Case(
        "brick_falls_off",
        "an unfastened brick slides down a slope and out of the world",
        _shelf_world(),
        _table(_slope_with_brick(35)),
        LOST,
    ),
    Case(
        "brick_slides_off",
        "an unfastened brick slides slowly off the edge of the world",
        _shelf_world(90),
        _table(_slope_with_brick(28)),
        LOST,
    ),
    Case(
        "grazes_inside",
        "the ball stops with 1 mm of it in a goal that asks for all of it",
        _roll_world((147, 290), "inside", hold_s=1.0),
        _gutter(4, _stop_at(150)),
        GOAL,
    ),
    Case(
        "half_inside",
        "the ball stops half way into a goal that asks for all of it",
        _roll_world((128, 250), "inside", hold_s=1.0),
        _gutter(4, _stop_at(150)),
        GOAL,
    ),
    Case(
        "rolls_through",
        "the ball rolls through a goal that asks for rest, and off the end",
        _roll_world((0, 180), "at_rest"),
        _gutter(3, ""),
        GOAL,
    ),
    Case(
        "rolls_through_fast",
        "the ball rolls fast through a goal that asks for rest",
        _roll_world((-60, 180), "at_rest", hold_s=0.2),
        _gutter(5, ""),
        GOAL,
    ),
    Case(
        "creeps_through",
        "the ball creeps through a goal that asks for rest",
        _roll_world((-60, 180), "at_rest"),
        _gutter(1, ""),
        GOAL,
    ),
)
HONEST = (
    Case("cup_70", "a cup wide enough for every start", _drop_world(), _cup(60)),
    Case("cup_54", "a cup of 54 mm: 2 mm more than ball and random start", _drop_world(), _cup(54)),
    Case("tube_of_8", "walls 8 mm around the start", _drop_world(150), _cup(60, _shaft(8.0, 125, 180))),
    Case(
        "brick_lies", "an unfastened brick lies on a slope of 10 degrees", _shelf_world(), _table(_slope_with_brick(10))
    ),
    Case("no_brick", "the same table alone", _shelf_world(), _table("")),
    Case(
        "wholly_inside",
        "the ball stops 3 mm inside a goal that asks for all of it",
        _roll_world((105, 151), "inside", hold_s=1.0),
        _gutter(4, _stop_at(150)),
    ),
    Case(
        "rests_in_goal",
        "the ball comes to rest in the goal",
        _roll_world((100, 200), "at_rest", hold_s=1.0),
        _gutter(4, _stop_at(150)),
    ),
    Case(
        "touches_and_stays",
        "the ball comes to rest with half of it in a goal that asks for a touch",
        _roll_world((128, 250), "touch", hold_s=1.0),
        _gutter(4, _stop_at(150)),
    ),
    Case(
        "rolls_through_touch",
        "the ball rolls through a goal that asks for a touch",
        _roll_world((0, 180), "touch"),
        _gutter(3, ""),
    ),
)
