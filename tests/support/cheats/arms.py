"""Arms that carry a ball around a vertical axis, and arms that press: travel, sweep, ratio and heat of drives."""

from math import cos, radians, sin

from tests.support.cheats.case import Case, World, ball

_SHAFT_MM, _REACH_MM = 80.0, 110.0
_TRAY = """
def tray(x, y, z):
    return Pos(x, y, z + 18) * Box(66, 66, 36) - Pos(x, y, z + 24) * Box(58, 58, 36)
"""
TRAVEL = ("invalid_motor",)
SWEEP = ("penetrated", "invalid_joint", "missed_goal", "overloaded")
BOUNDS = ("left_bounds",)
RATIO = ("invalid_coupling",)
HEAT = ("overloaded",)
RESERVE = ("near_stall",)


def _world(
    angle_deg: float, lift: float = 0.0, duration_s: float = 6.0, ball_kg_m3: float = 1410.0, **more: object
) -> World:
    """A floor; a ball rests in a tray on +x, and the goal is this far around the z axis."""
    x, y = _REACH_MM * cos(radians(angle_deg)), _REACH_MM * sin(radians(angle_deg))
    fields: dict[str, object] = {
        "solids": {"floor": ((-300, -300, -10), (300, 300, 0))},
        "payload": ball((_REACH_MM, 0, _SHAFT_MM + lift + 29.0), density_kg_m3=ball_kg_m3, friction=0.5),
        "goal": ((x - 12, y - 12, _SHAFT_MM), (x + 12, y + 12, _SHAFT_MM + 60)),
        "duration_s": duration_s,
    }
    return World(**(fields | more))  # pyright: ignore[reportArgumentType] - fields by name


def _turn(
    angle: float,
    seconds: float = 3.0,
    *,
    tail: float = 30.0,
    post: float = 76.0,
    carrier: str = "servo",
    servo: str = "mg996r",
) -> str:
    """A servo with a vertical shaft beside its post turns the arm."""
    return (
        f"{_TRAY}\n"
        f"shaft, arm_z = {_SHAFT_MM:g}, {_SHAFT_MM + 0.5:g}\n"
        f"servo = bought('servo', Pos(0, 0, shaft) * catalog_part({servo!r}))\n"
        "box = servo.bounding_box()\n"
        f"post = add('post', block((box.min.X, box.max.X), (box.max.Y + GAP, box.max.Y + 30), (GAP, {post:g})))\n"
        f"beam = block(({-tail:g}, 100), (-7, 7), (arm_z, arm_z + 10))\n"
        f"arm = add('arm', beam + tray({_REACH_MM:g}, 0, arm_z), 'petg')\n"
        f"hinge = RevoluteJoint('hinge', {carrier}, axis=Axis((0, 0, shaft), (0, 0, 1)), angular_range=("
        f"{min(angle, 0) - 5:g}, {max(angle, 0) + 5:g}))\n"
        "hinge.connect_to(RigidJoint('bore', arm, Location((0, 0, shaft))), angle=0)\n"
        "mechanism += [bonded('servo', 'post'), bonded('post', 'floor'),\n"
        f"    drive(servo, joint='hinge', control=ramp(0.5, {0.5 + seconds:g}, {angle:g}))]\n"
    )


def _geared(
    first: float,
    second: float,
    ratio: float,
    angle: float,
    seconds: float = 3.0,
    *,
    shift: float = 0.0,
    width: float = 6.0,
) -> str:
    """A motor turns one disc, which turns another one, with the arm on it.

    `shift`: by so much the second disc is higher than the first; `width`: of the first.
    """
    apart = first + second + 0.02
    return (
        f"{_TRAY}\n"
        f"apart, shaft = {apart:g}, {_SHAFT_MM:g}\n"
        "motor = bought('motor', Pos(-apart, 0, shaft) * catalog_part('pololu-25d-hp-47'))\n"
        "add('base', Pos(-apart, 0, 6) * Box(40, 40, 11.98))\n"
        f"shift = {shift:g}\n"
        "pillar = add('pillar', block((-8, 20), (-10, 10), (GAP, shaft + shift)))\n"
        f"first, width = {first:g}, {width:g}\n"
        "pinion = add('pinion', Pos(-apart, 0, shaft + 0.5 + width / 2) * Cylinder(first, width), 'petg')\n"
        f"wheel = add('wheel', Pos(0, 0, shaft + 3.5 + shift) * Cylinder({second:g}, 6), 'petg')\n"
        "beam = block((-10, 100), (-7, 7), (shaft + shift + 6.5 + GAP, shaft + shift + 14))\n"
        f"add('arm', beam + tray({_REACH_MM:g}, 0, shaft + shift + 6.5), 'petg')\n"
        "one = RevoluteJoint('one', motor, axis=Axis((-apart, 0, shaft), (0, 0, 1)))\n"
        "one.connect_to(RigidJoint('bore', pinion, Location((-apart, 0, shaft))), angle=0)\n"
        "two = RevoluteJoint('two', pillar, axis=Axis((0, 0, shaft + shift), (0, 0, 1)))\n"
        "two.connect_to(RigidJoint('hub', wheel, Location((0, 0, shaft + shift))), angle=0)\n"
        "mechanism += [bonded('motor', 'base'), bonded('base', 'floor'), bonded('pillar', 'floor'),\n"
        "    bonded('wheel', 'arm'),\n"
        f"    gears('one', 'two', ratio={ratio!r}),\n"
        f"    drive(motor, joint='one', control=ramp(0.5, {0.5 + seconds:g}, {angle / ratio:g}))]\n"
    )


def _pegged(hub: str, hole: str) -> str:
    """A servo turns an arm whose hub turns in a hole of the post that carries its hinge."""
    return (
        f"{_TRAY}\n"
        f"shaft, arm_z = {_SHAFT_MM:g}, {_SHAFT_MM + 0.5:g}\n"
        "servo = bought('servo', Pos(0, 0, shaft) * catalog_part('mg996r'))\n"
        "side = servo.bounding_box().max.Y + GAP\n"
        f"plate = block((-30, 30), (-20, side + 45), (arm_z + 14, arm_z + 22)) - Pos(0, 0, arm_z + 18) * {hole}\n"
        "mast = block((-20, 20), (side, side + 45), (GAP, 76))\n"
        "neck = block((-20, 20), (side + 15, side + 45), (70, arm_z + 22))\n"
        "post = add('post', mast + neck + plate)\n"
        f"beam = block((-12, 100), (-7, 7), (arm_z, arm_z + 8)) + Pos(0, 0, arm_z + 15) * {hub}\n"
        f"arm = add('arm', beam + tray({_REACH_MM:g}, 0, arm_z), 'petg')\n"
        "hinge = RevoluteJoint('hinge', post, axis=Axis((0, 0, shaft), (0, 0, 1)), angular_range=(-155, 5))\n"
        "hinge.connect_to(RigidJoint('bore', arm, Location((0, 0, shaft))), angle=0)\n"
        "mechanism += [bonded('servo', 'post'), bonded('post', 'floor'),\n"
        "    drive(servo, joint='hinge', control=ramp(0.5, 3.5, -150))]\n"
    )


def _pressed(times: tuple[float, ...], shares: tuple[float, ...]) -> str:
    """A motor turns the arm slowly to a stop at 90 degrees and presses it against it."""
    return (
        f"{_TRAY}\n"
        f"shaft = {_SHAFT_MM:g}\n"
        "add('stop', block((-72, -12.1), (35, 70), (GAP, shaft + 12)))\nmechanism += [bonded('stop', 'floor')]\n"
        "motor = bought('motor', Pos(0, 0, shaft) * catalog_part('pololu-37d-150'))\n"
        "beam = block((-30, 100), (-12, 12), (shaft + 0.5, shaft + 12))\n"
        f"arm = add('arm', beam + tray({_REACH_MM:g}, 0, shaft + 0.5), 'petg')\n"
        "hinge = RevoluteJoint('hinge', motor, axis=Axis((0, 0, shaft), (0, 0, 1)), angular_range=(-5, 100))\n"
        "hinge.connect_to(RigidJoint('bore', arm, Location((0, 0, shaft))), angle=0)\n"
        "add('base', Pos(0, 0, 5) * Box(60, 60, 9.98))\n"
        "mechanism += [bonded('motor', 'base'), bonded('base', 'floor'),\n"
        f"    drive(motor, joint='hinge', control=Steps(times_s={list(times)!r}, shares={list(shares)!r}))]\n"
    )


CHEATS = (
    Case(
        "square_peg",
        "a square peg turns in a square socket",
        _world(-150),
        _pegged("Box(14, 14, 20)", "Box(14.6, 14.6, 10)"),
        SWEEP,
    ),
    Case(
        "square_peg_in_round_hole",
        "its corners are 0.9 mm beyond the hole",
        _world(-150),
        _pegged("Box(14, 14, 20)", "Cylinder(9, 10)"),
        ("interference", *SWEEP),
    ),
    Case(
        "discs_apart",
        "the teeth of two gears lie in planes 0.9 mm apart",
        _world(60, 6.9),
        _geared(20, 40, -0.5, 60, shift=6.9),
        RATIO,
    ),
    Case("discs_2_mm", "their teeth share 2 of 6 mm", _world(60, 10.0), _geared(20, 40, -0.5, 60, shift=4.0), RATIO),
    Case(
        "teeth_1_mm",
        "a gear 1 mm wide jerks a steel ball",
        _world(60, 6.0, ball_kg_m3=7850),
        _geared(20, 40, -0.5, 60, 0.2, width=1.0),
        HEAT,
    ),
    Case(
        "servo_sg90",
        "the plastic shaft of a tiny servo carries a steel ball",
        _world(90, ball_kg_m3=7850),
        _turn(90, servo="sg90"),
        HEAT,
    ),
    Case("servo_1330", "a servo of half a turn makes 3.7 turns", _world(250, duration_s=14), _turn(1330, 12), TRAVEL),
    Case("servo_350", "a servo of half a turn makes a whole one", _world(350, duration_s=9), _turn(350, 7), TRAVEL),
    Case("servo_200", "a servo of 180 degrees turns 200", _world(200), _turn(200, 4), TRAVEL),
    Case(
        "arm_through_post",
        "the arm's tail swings through the post that carries it",
        _world(150),
        _turn(150, tail=60, post=120, carrier="post"),
        SWEEP,
    ),
    Case(
        "arm_through_tall_post",
        "the arm's tail swings backwards through its tall post",
        _world(-175),
        _turn(-175, 4, post=100, tail=60, carrier="post"),
        SWEEP,
    ),
    Case(
        "tail_out_of_world",
        "the arm's tail swings 120 mm beyond the bounds",
        _world(
            170,
            bounds=((-300, -50, -50), (300, 250, 400)),
            solids={"floor": ((-300, -50, -10), (300, 250, 0))},
            build_zone=((-290, -40, 0), (290, 240, 300)),
        ),
        _turn(170, 4, tail=170),
        BOUNDS,
    ),
    Case(
        "tail_20_out_of_world",
        "the arm's tail swings 20 mm beyond the bounds",
        _world(
            170,
            bounds=((-300, -100, -50), (300, 250, 400)),
            solids={"floor": ((-300, -100, -10), (300, 250, 0))},
            build_zone=((-290, -90, 0), (290, 240, 300)),
        ),
        _turn(170, 4, tail=120),
        BOUNDS,
    ),
    Case(
        "discs_150",
        "two equal discs that touch are declared gears of 1:150",
        _world(30, 6.0, 8.0),
        _geared(30, 30, -1 / 150, 30, 5),
        RATIO,
    ),
    Case(
        "discs_40", "two equal discs are declared gears of 1:40", _world(60, 6.0), _geared(30, 30, -1 / 40, 60), RATIO
    ),
    Case(
        "discs_3",
        "discs of 20 and 40 mm are declared gears of 1:3",
        _world(60, 6.0),
        _geared(20, 40, -1 / 3, 60),
        RATIO,
    ),
    Case(
        "discs_same_way", "two discs that touch turn the same way", _world(60, 6.0), _geared(20, 40, 1 / 2, 60), RATIO
    ),
    Case(
        "stalled_with_pauses",
        "a motor stalled at full voltage, with a pause of 10 ms every 4.9 s",
        _world(90, lift=0.5, duration_s=22.0, hold_s=14.0),
        _pressed((0.5, 6.0, 10.9, 10.91, 15.8, 15.81), (0.05, 1, 0, 1, 0, 1)),
        HEAT,
    ),
    Case(
        "stalled_nine_tenths",
        "a motor stalled nine tenths of the time",
        _world(90, lift=0.5, duration_s=22.0, hold_s=14.0),
        _pressed((0.5, 6.0, 10.5, 11.0, 15.5, 16.0), (0.05, 1, 0, 1, 0, 1)),
        HEAT,
    ),
    Case(
        "pressed_at_half",
        "a motor at half its stall torque, with a pause of 20 ms every 4.9 s",
        _world(90, lift=0.5, duration_s=22.0, hold_s=14.0),
        _pressed((0.5, 6.0, 10.9, 10.92, 15.8, 15.82), (0.05, 0.5, 0, 0.5, 0, 0.5)),
        HEAT,
    ),
    Case(
        "stalled_once",
        "a motor at full stall for 4.9 s without need: not too hot, and without reserve",
        _world(90, lift=0.5, duration_s=14.0, hold_s=7.0),
        _pressed((0.5, 6.0, 10.9), (0.05, 1, 0.05)),
        RESERVE,
    ),
)
HONEST = (
    Case(
        "round_peg", "a round peg turns in a round hole", _world(-150), _pegged("Cylinder(7, 20)", "Cylinder(7.3, 10)")
    ),
    Case("discs_4_mm", "the teeth of two gears share 4 of 6 mm", _world(60, 8.0), _geared(20, 40, -0.5, 60, shift=2.0)),
    Case("servo_steel_ball", "the metal shaft of a servo carries a steel ball", _world(90, ball_kg_m3=7850), _turn(90)),
    Case("servo_175", "a servo of 180 degrees turns 175", _world(175), _turn(175, 4)),
    Case("servo_178", "a servo of 180 degrees turns 178", _world(178), _turn(178, 4)),
    Case("servo_90", "a servo turns 90 degrees in 1.5 s", _world(90), _turn(90, 1.5)),
    Case("arm_over_post", "the arm passes 4 mm above its post", _world(150), _turn(150, tail=60)),
    Case(
        "tail_within_world",
        "the arm's tail stays 10 mm within the bounds",
        _world(
            170,
            bounds=((-300, -100, -50), (300, 250, 400)),
            solids={"floor": ((-300, -100, -10), (300, 250, 0))},
            build_zone=((-290, -90, 0), (290, 240, 300)),
        ),
        _turn(170, 4, tail=80),
    ),
    Case("discs_1", "two equal discs turn alike", _world(60, 6.0), _geared(30, 30, -1.0, 60)),
    Case("discs_2", "discs of 20 and 40 mm are gears of 1:2", _world(60, 6.0), _geared(20, 40, -20 / 40, 60)),
    Case("discs_1_5", "discs of 20 and 30 mm are gears of 2:3", _world(90, 6.0), _geared(20, 30, -20 / 30, 90)),
    Case(
        "pressed_at_a_seventh",
        "a motor presses for ever with 15 % of its stall torque",
        _world(90, lift=0.5, duration_s=22.0, hold_s=14.0),
        _pressed((0.5, 6.0), (0.05, 0.15)),
    ),
    Case(
        "pressed_briefly",
        "a motor at 60 % of its stall torque for 1 s",
        _world(90, lift=0.5, duration_s=14.0, hold_s=7.0),
        _pressed((0.5, 6.0, 7.0), (0.05, 0.6, 0.05)),
    ),
)
