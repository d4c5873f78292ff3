"""Environment scripts with faults, and designs that cannot be captured."""

from collections.abc import Iterator

from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import NotADesignError
from contracts.models.benchmark import Variant, Zone
from contracts.models.geometry import Box

from tests.support.environment_build import build_from_script

HEAD = "from build123d import *\n\ndef build(variant):\n"
FLOOR = HEAD + "    floor = Pos(0, 0, -5) * Box(400, 400, 10)\n    floor.label = 'floor'\n"
CUBE = HEAD + "    cube = Pos(140, 140, 40) * Box(80, 80, 80)\n    cube.label = 'cube'\n    return cube\n"
DOOR = (
    FLOOR + "    door = Pos(-80, 20, {z}) * Box(4, 40, 40)\n    door.label = 'door'\n"
    "    door.metadata = {{'material_id': '{material}'}}\n"
    "    if {is_jointed}:\n"
    "        hinge = RevoluteJoint('hinge', floor, Axis((-80, 0, 20), (0, 0, 1)))\n"
    "        hinge.connect_to(RigidJoint('edge', door, Pos(-80, 0, 20)), angle=0)\n"
    "    return Compound(children=[floor, door])\n"
)
SCRIPTS = {
    "syntax error": "def build(variant:\n",
    "error while running": "x = 1\ny = x / 0\n",
    "no build function": "x = 1\n",
    "not a shape": HEAD + "    return 7\n",
    "nothing": HEAD + "    return Compound(children=[])\n",
    "no label": HEAD + "    return Compound(children=[Box(1, 1, 1)])\n",
    "label used twice": FLOOR + "    return Compound(children=[floor, Pos(50) * floor])\n",
    "no solid": HEAD + "    disc = Cylinder(5, 5).faces()[0]\n    disc.label = 'disc'\n    return disc\n",
    "outside the bounds": FLOOR + "    return Pos(0, 0, -96) * floor\n",
    "payload in a solid": FLOOR + "    return Pos(0, 0, 131) * floor\n",
    "goal zone in a solid": CUBE,
    "fixed solids that overlap": (
        FLOOR + "    wall = Pos(0, 50, 18) * Box(100, 10, 40)\n    wall.label = 'wall'\n"
        "    return Compound(children=[floor, wall])\n"
    ),
    "unknown material": DOOR.format(z=20, material="cheese", is_jointed=True),
    "moving solid without a joint": DOOR.format(z=20, material="pom", is_jointed=False),
    "moving solid that overlaps": DOOR.format(z=19, material="pom", is_jointed=True),
}
DESIGNS = {
    "not a shape": "7",
    "a builder": "BuildPart()",
    "invalid declaration": "Compound(label='machine', children=[base])",
    "joint to a part that is missing": "Compound(label='machine', children=[hinged_base])",
    "part moved after connecting": "Compound(label='machine', children=[moved_base, moved_arm])",
    "joint on a group": "Compound(label='all', children=[group, arm])",
}
PARTS = """
from build123d import *

def block(label):
    part = Box(10, 10, 10)
    part.label = label
    return part

base = block('base')
base.metadata = {'mechanism': ['glue it']}
hinged_base, other_arm = block('base'), block('arm')
RevoluteJoint('hinge', hinged_base, Axis.Z).connect_to(RigidJoint('pin', other_arm), angle=0)
moved_base, moved_arm = block('base'), block('arm')
RevoluteJoint('hinge', moved_base, Axis.Z).connect_to(RigidJoint('pin', moved_arm), angle=0)
moved_arm.locate(Pos(0, 0, 3) * moved_arm.location)
group, arm = Compound(label='group', children=[block('a'), block('b')]), block('arm')
RigidJoint('top', group).connect_to(RigidJoint('pin', arm))
"""


def fault_cases(variant: Variant) -> Iterator[tuple[str, str, str]]:
    """Yield title, reason and detail."""
    for title, code in SCRIPTS.items():
        yield title, *_fault(code, variant)
    zone = Zone(label="fire", box=Box(min_mm=(20, -50, 100), max_mm=(60, 50, 200)))
    hot = variant.model_copy(update={"forbid_zones": (zone,)})
    yield "payload in a forbid zone", *_fault(FLOOR + "    return floor\n", hot)


def _fault(code: str, variant: Variant) -> tuple[str, str]:
    fault = build_from_script(code, variant).fault
    assert fault is not None
    return fault.reason, fault.detail


def capture_cases() -> Iterator[tuple[str, str]]:
    """Yield title and message."""
    for title, expression in DESIGNS.items():
        namespace: dict[str, object] = {}
        exec(f"{PARTS}\nassembly = {expression}\n", namespace)
        try:
            capture_design(namespace["assembly"])
        except NotADesignError as error:
            yield title, str(error)
        else:
            raise AssertionError(title)
