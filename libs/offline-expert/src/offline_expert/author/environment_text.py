"""The environment.py of a world: the ground, blocks, and what motors move, built from the boxes that a seed drew."""

from offline_expert.author.world import MOVERS, InventedWorld

_HEAD = '''"""The ground, and what is in the way; the label of an obstacle says what fills its box. In mm."""

from build123d import {names}
{utils}

def build(variant) -> Compound:
    """Return the solids of one variant."""
    low, high = variant.bounds.min_mm, variant.bounds.max_mm
    ground = box("ground", (low[0], low[1], low[2]), (high[0], high[1], 0))
    children, mechanism = [ground], []
    for obstacle in variant.obstacles:
        make = MAKERS[obstacle.label.split("-")[0]]
        solids, driven = make(obstacle, ground)
        children += solids
        mechanism += driven
    world = Compound(label="environment", children=children)
    world.metadata = {{"mechanism": mechanism}}
    return world


def box(label, low, high) -> Box:
    """Return the box between two corners."""
    solid = Pos(*((a + b) / 2 for a, b in zip(low, high))) * Box(*(b - a for a, b in zip(low, high)))
    solid.label = label
    return solid


def block(obstacle, ground):
    """A block from the ground up, even where its box begins higher."""
    low, high = obstacle.box.min_mm, obstacle.box.max_mm
    return [box(obstacle.label, (low[0], low[1], 0), high)], []

'''
_GATE = '''
def gate(obstacle, ground):
    """A board below an arm, which a servo on the ground swings about the middle of the box."""
    low, high = obstacle.box.min_mm, obstacle.box.max_mm
    x, y, reach = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, min(high[0] - low[0], high[1] - low[1]) / 2 - 2
    servo = Pos(x, y, 42.9) * catalog_part("mg996r")  # on the ground; its shaft points up
    servo.label = f"{obstacle.label}-servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    arm = Pos(x, y + reach / 2 - 5, 51) * Box(6, reach + 10, 10)
    board = Pos(x, y + (reach + 36) / 2, 26) * Box(6, reach - 36, 42)
    leaf = arm + board
    leaf.label = obstacle.label
    leaf.metadata = {"material_id": "pom", "mountable": False}
    joint = f"{obstacle.label}-hinge"
    hinge = RevoluteJoint(joint, ground, axis=Axis((x, y, 50), (0, 0, 1)), angular_range=(-60, 60))
    hinge.connect_to(RigidJoint("pin", leaf, Pos(x, y, 50)), angle=0)
    swing = Oscillation(amplitude=40, frequency_hz=SPEED)
    return [servo, leaf], [*bond_contacts(servo, to=ground), drive(servo, joint=hinge, control=swing)]

'''
_SWEEPER = '''
def sweeper(obstacle, ground):
    """An arm on the shaft of a gear motor on the ground, in the middle of the box."""
    low, high = obstacle.box.min_mm, obstacle.box.max_mm
    x, y, reach = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, min(high[0] - low[0], high[1] - low[1]) / 2 - 2
    motor = Pos(x, y, 54) * catalog_part("gm25d-lp12-75")  # its shaft points up
    motor.label = f"{obstacle.label}-motor"
    motor.metadata = {**motor.metadata, "mountable": False}
    arm = Pos(x, y, 62) * Box(8, 2 * reach - 2, 10)
    arm.label = obstacle.label
    arm.metadata = {"material_id": "pom", "mountable": False}
    joint = f"{obstacle.label}-axle"
    axle = RevoluteJoint(joint, ground, axis=Axis((x, y, 60), (0, 0, 1)), angular_range=(0, 360))
    axle.connect_to(RigidJoint("hub", arm, Pos(x, y, 60)), angle=0)
    turn = Constant(share=SPEED)
    return [motor, arm], [*bond_contacts(motor, to=ground), drive(motor, joint=axle, control=turn)]

'''
_SHUTTLE = '''
def shuttle(obstacle, ground):
    """A board that a servo moves along y through the middle of the box."""
    low, high = obstacle.box.min_mm, obstacle.box.max_mm
    x, y, reach = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (high[1] - low[1]) / 2
    servo = Pos(x - 26, y, 42.9) * catalog_part("mg996r")
    servo.label = f"{obstacle.label}-servo"
    servo.metadata = {**servo.metadata, "mountable": False}
    board = Pos(x + 20, y, 36) * Box(8, reach, 66)
    board.label = obstacle.label
    board.metadata = {"material_id": "pom", "mountable": False}
    joint = f"{obstacle.label}-slide"
    axis = Axis((x + 20, y, 2), (0, 1, 0))
    slide = LinearJoint(joint, ground, axis=axis, linear_range=(-reach / 2, reach / 2))
    slide.connect_to(RigidJoint("carriage", board, Pos(x + 20, y, 2)), position=0)
    move = Oscillation(amplitude=reach / 2 - 4, frequency_hz=SPEED)
    motor = drive(servo, joint=slide, control=move, pinion_radius_mm=reach / 3)
    return [servo, board], [*bond_contacts(servo, to=ground), motor]

'''
_MAKERS = {"gate": _GATE, "sweeper": _SWEEPER, "shuttle": _SHUTTLE}
_NAMES = {
    "gate": ("Axis", "RevoluteJoint", "RigidJoint"),
    "sweeper": ("Axis", "RevoluteJoint", "RigidJoint"),
    "shuttle": ("Axis", "LinearJoint", "RigidJoint"),
}
_UTILS = {
    "gate": ("Oscillation", "bond_contacts", "catalog_part", "drive"),
    "sweeper": ("Constant", "bond_contacts", "catalog_part", "drive"),
    "shuttle": ("Oscillation", "bond_contacts", "catalog_part", "drive"),
}


def environment_text(world: InventedWorld) -> str:
    """Return environment.py with the functions that this world needs."""
    kinds = sorted({each.kind for each in world.obstacles if each.kind in MOVERS})
    names = sorted({"Box", "Compound", "Pos"}.union(*(_NAMES[kind] for kind in kinds)))
    utils = sorted(set[str]().union(*(_UTILS[kind] for kind in kinds)))
    imported = f"from utils import {', '.join(utils)}\n\nSPEED = {world.speed:.2f}\n" if utils else ""
    head = _HEAD.format(names=", ".join(names), utils=imported)
    makers = "\n".join(_MAKERS[kind].strip("\n") + "\n\n" for kind in kinds)
    table = ", ".join(f'"{kind}": {kind}' for kind in ("block", *kinds))
    return f"{head}\n{makers}\nMAKERS = {{{table}}}\n"
