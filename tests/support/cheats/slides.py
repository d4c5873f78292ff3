"""Slides that push a cube, lift a ball or press one through a slot: racks, rails, and what is in their way."""

from tests.support.cheats.case import Case, World, ball, cube

_FLOOR = {"floor": ((-300.0, -300.0, -10.0), (300.0, 300.0, 0.0))}
RACK = ("invalid_motor", "invalid_coupling", "invalid_joint")
SWEEP = ("penetrated", "missed_goal", "overloaded")
SQUEEZE = ("penetrated", "missed_goal", "overloaded", "numerical")


def _push_world(**walls: tuple[tuple[float, float, float], tuple[float, float, float]]) -> World:
    """A cube on a floor, the goal 150 mm along x."""
    return World(solids=_FLOOR | walls, payload=cube((0, 0, 20)), goal=((135, -40, 0), (190, 40, 60)), duration_s=6.0)


def _disc(x: float, y: float, radius: float, z: float) -> str:
    """The pinion: a disc of its pitch diameter around the shaft."""
    return f"add('pinion', Pos({x:g}, {y:g}, {z:g}) * Cylinder({radius - 0.01:g}, 8))\n"


def _carrier(label: str) -> str:
    """The solid on which it slides: the design's own rail, or one of the environment."""
    return "rail" if label == "rail" else f"next(each for each in environment.children if each.label == {label!r})"


def _by(disc: bool, radius: float) -> str:
    """How a motor drives a slide: by parts, or by a number alone."""
    return "pinion='pinion', rack='rail'" if disc else f"pinion_radius_mm={radius:g}"


def _push(
    *,
    rail: tuple[float, float] = (-130, 175),
    motor: tuple[float, float] = (-57.5, 20.0),
    motor_on: str = "deck",
    behind: float = 12.0,
    radius: float = 10.0,
    carrier: str = "rail",
    seconds: float = 3.0,
    disc: bool = True,
) -> str:
    """A trolley on the wall of a channel pushes; its motor's pinion climbs along the rail's inner side."""
    face = -20 - behind
    x, y = motor
    motor_z = 38.0 if motor_on == "deck" else 68.0
    travel = behind + 150 - 10
    return (
        f"rail = add('rail', block(({rail[0]:g}, {rail[1]:g}), (30, 36), (GAP, 31)))\n"
        "add('guard', block((-130, 175), (-36, -30), (GAP, 31)))\n"
        f"bore = Pos({x:g}, {y:g}, 35) * Cylinder(4, 12)\n"
        f"plate = block(({face - 6:g}, {face:g}), (-26, 26), (4, 32))\n"
        f"deck = add('deck', block(({face - 45:g}, {face:g}), (-36, 36), (32, 38)) - bore + plate)\n"
        f"turn = Rot({180 if motor_on == 'deck' else 0}, 0, 0)\n"
        f"motor = Pos({x:g}, {y:g}, {motor_z:g} + GAP) * turn * catalog_part('pololu-25d-hp-47')\n"
        "bought('motor', motor)\n"
        f"{_disc(x, y, radius, 25 if motor_on == 'deck' else 73) if disc else ''}"
        f"seat = ({face - 20:g}, 33, 31.5)\n"
        f"carrier = {_carrier(carrier)}\n"
        f"slide = LinearJoint('slide', carrier, axis=Axis(seat, (1, 0, 0)), linear_range=(-1, {travel + 5:g}))\n"
        "slide.connect_to(RigidJoint('seat', deck, Location(seat)), position=0)\n"
        f"mechanism += [bonded('rail', 'floor'), bonded('guard', 'floor'), bonded('motor', {motor_on!r}),\n"
        f"    drive(motor, joint='slide', control=ramp(0.5, {0.5 + seconds:g}, {travel:g}), {_by(disc, radius)})]\n"
    )


def _slot_world(slot: float, size: float = 40.0) -> World:
    """A ball before two plates with a slot between them, and a pocket behind."""
    half = slot / 2
    return World(
        solids=_FLOOR
        | {
            "left": ((40, half, 0), (52, 100, 60)),
            "right": ((40, -100, 0), (52, -half, 60)),
            "stop": ((125, -60, 0), (135, 60, 60)),
        },
        payload=ball((0, 0, size / 2), size),
        goal=((75, -60, 0), (125, 60, 60)),
        duration_s=7.0,
    )


def _press(radius: float, motor: str = "pololu-25d-hp-47", size: float = 40.0) -> str:
    """A rod on a slide rams the ball through the slot."""
    z, tip = size / 2, -size / 2 - 8
    return (
        "rail = add('rail', block((-250, 30), (30, 50), (GAP, 60)), 'pla')\n"
        f"rod = block(({tip - 110:g}, {tip:g}), (-8, 8), ({z - 8:g}, {z + 8:g}))\n"
        f"bore = Pos({tip - 100:g}, {30 - radius:g}, 65) * Cylinder(3, 20)\n"
        f"deck = add('deck', block(({tip - 110:g}, {tip - 90:g}), (-60, 60), (61, 69)) - bore)\n"
        f"rod = add('rod', rod + block(({tip - 110:g}, {tip - 90:g}), (-8, 8), ({z:g}, 61 - GAP)))\n"
        f"motor = Pos({tip - 100:g}, {30 - radius:g}, 69 + GAP) * Rot(180, 0, 0) * catalog_part({motor!r})\n"
        "bought('motor', motor)\n"
        f"seat = ({tip - 100:g}, 40, 60.5)\n"
        f"{_disc(tip - 100, 30 - radius, radius, 54)}"
        "slide = LinearJoint('slide', rail, axis=Axis(seat, (1, 0, 0)), linear_range=(-1, 110))\n"
        "slide.connect_to(RigidJoint('seat', deck, Location(seat)), position=0)\n"
        "mechanism += [bonded('rail', 'floor'), bonded('rod', 'deck'), bonded('motor', 'deck'),\n"
        f"    drive(motor, joint='slide', control=ramp(0.5, 4.0, {-tip - size / 2 + 75:g}), {_by(True, radius)})]\n"
    )


def _lift_world(**walls: tuple[tuple[float, float, float], tuple[float, float, float]]) -> World:
    """A ball that rests in a tray, and the goal 120 mm above it, beside a shelf."""
    return World(solids=_FLOOR | walls, payload=ball((0, 0, 70)), goal=((-20, -20, 165), (20, 20, 230)), duration_s=6.0)


def _lift(
    carrier: str, *, radius: float = 2.5, post: bool = False, motor_at: tuple[float, float, float] = (150.0, 0.0, 60.0)
) -> str:
    """A tray that slides upwards on a solid of the environment, or along a post of its own."""
    x, y, z = motor_at
    rails = (
        "rail = add('rail', block((30, 42), (-30, 30), (GAP, 320)))\nmechanism += [bonded('rail', 'floor')]\n"
        if post
        else ""
    )
    return (
        f"{rails}"
        "tray = add('tray', block((-29, 29.5), (-29, 29), (42, 80)) - block((-24, 24), (-24, 24), (47, 81)))\n"
        f"servo = bought('servo', Pos({x:g}, {y:g}, {z:g} + GAP) * catalog_part('mg996r'))\n"
        f"carrier = {_carrier('rail' if post else carrier)}\n"
        "seat = (29.75, 0, 60)\n"
        "slide = LinearJoint('slide', carrier, axis=Axis(seat, (0, 0, 1)), linear_range=(-1, 140))\n"
        "slide.connect_to(RigidJoint('seat', tray, Location(seat)), position=0)\n"
        "box = servo.bounding_box()\n"
        "add('base', block((box.min.X, box.max.X), (-20, 20), (GAP, box.min.Z - GAP)))\n"
        "mechanism += [bonded('servo', 'base'), bonded('base', 'floor'),\n"
        f"    drive(servo, joint='slide', control=ramp(0.5, 4.0, 120), pinion_radius_mm={radius:g})]\n"
    )


CHEATS = (
    Case(
        "rack_of_10",
        "the rack ends 10 mm beyond the motor, which drives 152 mm",
        _push_world(),
        _push(rail=(-130, -45)),
        RACK,
    ),
    Case("rack_of_60", "the rack ends half way", _push_world(), _push(rail=(-130, 10)), RACK),
    Case(
        "motor_far",
        "the motor stands on the floor, 250 mm from the rack",
        _push_world(),
        _push(motor=(200, -200), motor_on="floor"),
        RACK,
    ),
    Case(
        "motor_behind",
        "the motor rides 35 mm from the rack, with a pinion of 10 mm",
        _push_world(),
        _push(motor=(-57.5, -15)),
        RACK,
    ),
    Case(
        "pinion_of_3", "a pinion of 3 mm: no room for a shaft", _push_world(), _push(radius=3, motor=(-57.5, 27)), RACK
    ),
    Case("pinion_as_number", "rack and pinion exist only as a number", _push_world(), _push(disc=False), RACK),
    Case("pinion_off_rack", "a pinion of 5 mm turns 5 mm from the rack", _push_world(), _push(radius=5), RACK),
    Case(
        "lift_by_number",
        "a tray climbs a rail without rack or pinion",
        _lift_world(),
        _lift("", post=True, motor_at=(62.0, 0.0, 100.0), radius=10),
        RACK,
    ),
    Case(
        "tray_through_shelf",
        "a tray slides through the shelf that carries it",
        _lift_world(shelf=((25.0, -40.0, 100.0), (250.0, 40.0, 110.0))),
        _lift("shelf", radius=10),
        (*RACK, *SWEEP),
    ),
    Case(
        "tray_through_thick_shelf",
        "a tray slides through a shelf of 30 mm",
        _lift_world(shelf=((25.0, -40.0, 100.0), (250.0, 40.0, 130.0))),
        _lift("shelf", radius=10),
        (*RACK, *SWEEP),
    ),
    Case(
        "plate_through_wall",
        "a plate passes through the wall that it slides on",
        _push_world(wall=((-56.0, -29.0, 0.0), (-44.0, 29.0, 30.0))),
        _push(behind=45, motor=(-85, 20), carrier="wall", seconds=5),
        (*RACK, *SWEEP),
    ),
    Case(
        "slot_39_strong",
        "a ball of 40 mm is squeezed through a slot of 39 mm with 290 N",
        _slot_world(39),
        _press(5),
        SQUEEZE,
    ),
    Case(
        "slot_39",
        "a ball of 40 mm is squeezed through a slot of 39 mm with 150 N",
        _slot_world(39),
        _press(10),
        SQUEEZE,
    ),
    Case(
        "slot_38_strong",
        "a ball of 40 mm is squeezed through a slot of 38.8 mm with 290 N",
        _slot_world(38.8),
        _press(5),
        SQUEEZE,
    ),
    Case(
        "slot_29_strong",
        "a ball of 30 mm is squeezed through a slot of 29.2 mm with 290 N",
        _slot_world(29.2, 30),
        _press(5, size=30),
        SQUEEZE,
    ),
)
HONEST = (
    Case("rack_push", "a rack as long as the travel, the motor at its pinion's radius", _push_world(), _push()),
    Case("rack_8", "a pinion of 8 mm", _push_world(), _push(radius=8, motor=(-57.5, 22))),
    Case("rack_12", "a pinion of 12 mm", _push_world(), _push(radius=12, motor=(-57.5, 18))),
    Case("rack_slow", "the same, in 4 s", _push_world(), _push(seconds=4)),
    Case(
        "plate_between_walls",
        "the plate passes 2 mm from two walls, its pinion 1 mm above them",
        _push_world(wall_l=((-30.0, 28.0, 0.0), (30.0, 29.5, 20.0)), wall_r=((-30.0, -29.5, 0.0), (30.0, -28.0, 20.0))),
        _push(),
    ),
    Case("slot_41", "a ball of 40 mm goes through a slot of 41 mm", _slot_world(41), _press(10)),
    Case("slot_42", "a ball of 40 mm goes through a slot of 42 mm", _slot_world(42), _press(5)),
    Case("slot_31", "a ball of 30 mm goes through a slot of 31 mm", _slot_world(31, 30), _press(10, size=30)),
)
