"""Designs that violate the rules of validation, each with a title."""

from collections.abc import Callable, Iterator, Sequence
from math import nan
from struct import pack
from unittest.mock import patch

from build123d import Box, Compound, Cylinder, Part, Pos, Rot
from cad_worker.capture.design import capture_design
from cad_worker.jobs.design import judge
from catalog_shapes.bought_parts import bought_part
from contracts.models.benchmark import Limits
from contracts.models.design import Finding
from contracts.models.mechanism import Connection, Constant, Coupling, Joint, Motor, Positions
from design_rules.design_data import DesignRequest
from geometry.collision import decomposition

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import DrivenCart, bond
from tests.support.solids import known_solids
from tests.support.solids.large_breps import many_faces

Case = tuple[str, Sequence[Finding]]


def cases(designs: Designs) -> Iterator[Case]:
    yield from part_cases(designs)
    yield from placement_cases(designs)
    yield from connection_cases(designs)
    yield from joint_cases(designs)
    yield from motor_cases(designs)
    yield from coupling_cases(designs)


def part_cases(designs: Designs) -> Iterator[Case]:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    legs = [designs.part("leg", (10, 10, 50), (x, 0, 25)) for x in (0, 30)]
    pair = designs.as_part("pair", Compound([(Pos(x, 0, 5) * Box(10, 10, 10)).solid() for x in (0, 30)]))
    yield "no part", designs.judge().findings
    yield "invalid label", designs.judge(designs.part("leg" * 22, (10, 10, 50), (0, 0, 25))).findings
    yield "label used twice", designs.judge(*legs).findings
    yield "two solids in one part", designs.judge(pair).findings
    request = designs.request(leg)
    brep = request.design.parts[0].brep
    for title, forged in (
        ("unreadable geometry", b"rubbish"),
        ("coordinates that are not a number", brep.replace(pack("<d", 50.0), pack("<d", nan))),
        ("too many faces", many_faces(20_001)),
    ):
        yield title, judge(_with(request, brep=forged)).findings
    for method, material in ((None, None), ("cnc", None), ("casting", "pla"), ("cnc", "unobtainium"), ("cnc", "pla")):
        part = designs.part("leg", (10, 10, 50), (0, 0, 25), method=method, material=material)
        yield f"method {method}, material {material}", designs.judge(part).findings
    shell = designs.as_part("shell", Pos(0, 0, 15) * (Box(30, 30, 30) - Box(20, 20, 20)))
    core = designs.part("core", (20, 20, 20), (0, 0, 15), method="cnc", material="steel-1018")
    yield "a part sealed in another", designs.judge(shell, core).findings
    yield "unknown tolerance class", judge(_with(request, tolerance_class="exact")).findings
    yield "no collision geometry", _without_collision_geometry(designs)
    for limits in (Limits(max_parts=1), Limits(max_mass_kg=0.005), Limits(max_unit_price_usd=1)):
        foot = designs.part("foot", (30, 30, 5), (50, 0, 2.5))
        yield f"limit: {limits.model_dump_json(exclude_none=True)}", designs.judge(leg, foot, limits=limits).findings


def _with(request: DesignRequest, **changes: object) -> DesignRequest:
    part = request.design.parts[0].model_copy(update=changes)
    return request.model_copy(update={"design": request.design.model_copy(update={"parts": (part,)})})


def _without_collision_geometry(designs: Designs) -> Sequence[Finding]:
    with patch.object(decomposition, "MAX_GEOMS", 3):  # too few for any concave part
        return designs.judge(designs.as_part("hook", Pos(0, 0, 6) * Rot(0, 90, 0) * known_solids.hook())).findings


def placement_cases(designs: Designs) -> Iterator[Case]:
    base = designs.part("base", (40, 40, 10), (0, 0, 5))
    for title, parts in (
        ("outside the build zone", [designs.part("beam", (100, 10, 10), (-100.5, 0, 5))]),
        ("inside a forbid zone", [designs.part("block", (10, 10, 10), (-96, -120, 5))]),
        ("overlap of two parts", [base, designs.part("top", (40, 40, 10), (0, 0, 14.9))]),
        ("overlap with the environment", [designs.part("bar", (20, 20, 20), (180, 0, 9))]),
        ("overlap with the payload", [designs.part("leg", (10, 10, 130.5), (0, 0, 65.25))]),
        ("floating", [designs.part("leg", (10, 10, 50), (0, 0, 25)), designs.part("lid", (30, 30, 4), (0, 0, 53.2))]),
        ("copy of the environment", [designs.part("mine", (400, 400, 10), (0, 0, -5))]),
        ("label of the environment", [designs.part("wall", (10, 10, 10), (0, 0, 5))]),
    ):
        yield title, designs.judge(*parts).findings
    request = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    shifted = capture_design(Pos(0, 0, -0.02) * Box(400, 400, 10)).parts[0].brep
    forged = request.environment.model_copy(update={"brep": shifted, "solids": request.environment.solids[:1]})
    yield "changed environment", judge(request.model_copy(update={"environment": forged})).findings


def screw(z: float, fastener_id: str = "iso4762-m4x16", **changes: object) -> Connection:
    connection = Connection(
        first="arm",
        second="base",
        means="fastened",
        fastener_id=fastener_id,
        places_mm=((0.0, 0.0, z),),
        directions=((0.0, 0.0, -1.0),),
    )
    return connection.model_copy(update=changes)


def hinge(label: str = "hinge", parent: str = "base", child: str = "arm", **changes: object) -> Joint:
    fields: dict[str, object] = {"anchor_mm": (0.0, 0.0, 20.0), "axis": (0.0, 0.0, 1.0), "kind": "revolute"}
    return Joint.model_validate({"label": label, "parent": parent, "child": child, **fields, **changes})


def turn(**changes: object) -> Motor:
    return Motor.model_validate({"part": "motor", "joint": "hinge", "control": Constant(share=0.5)} | changes)


def _base_and_arm(designs: Designs) -> list[Part]:
    return [designs.part("base", (60, 60, 20), (0, 0, 10)), designs.part("arm", (80, 20, 10), (0, 0, 25))]


def _judged(designs: Designs, make: Callable[[Designs], list[Part]]) -> Callable[..., Sequence[Finding]]:
    return lambda *mechanism: designs.judge(*make(designs), mechanism=mechanism).findings


def connection_cases(designs: Designs) -> Iterator[Case]:
    base = designs.part("base", (60, 60, 20), (0, 0, 10))
    lid = designs.part("lid", (20, 20, 4), (0, 0, 22.4))
    edge = designs.part("edge", (20, 20, 20), (0, 0, 20 + 200**0.5), rotation=(0, 45, 0))
    yield "glue over a gap", designs.judge(base, lid, mechanism=[bond("base", "lid")]).findings
    yield "glue on an edge", designs.judge(base, edge, mechanism=[bond("base", "edge")]).findings
    judged = _judged(designs, _base_and_arm)
    yield "connection to a missing part", judged(bond("base", "flor"))
    yield "connection of a part to itself", judged(bond("base", "base"))
    yield "too short a screw", judged(screw(30, "iso4762-m3x12"))
    yield "screw beside both parts", judged(screw(60))
    yield "screw below the first part", judged(screw(15))
    yield "screw without direction", judged(screw(30, directions=()))
    yield "screw with a long direction", judged(screw(30, directions=((0.0, 0.0, -2.0),)))
    yield "fastened without screws", judged(screw(30, places_mm=()))
    yield "unknown screw", judged(screw(30, "iso4762-m4x15"))


def joint_cases(designs: Designs) -> Iterator[Case]:
    judged = _judged(designs, _base_and_arm)
    yield "joint to a missing part", judged(hinge(child="wing"))
    yield "joint of a part to itself", judged(hinge(child="base"))
    yield "joint far from both parts", judged(hinge(anchor_mm=(0.0, 0.0, 90.0)))
    yield "empty range", judged(hinge(angle_range_deg=(30.0, -30.0)))
    yield "range without the present pose", judged(hinge(angle_range_deg=(20.0, 60.0)))
    yield "travel of a revolute joint", judged(hinge(travel_range_mm=(-1.0, 1.0)))
    slippery = designs.part("base", (60, 40, 20), (0, 0, 10), method="cnc", material="hdpe")
    yield "glue that does not bond", designs.judge(slippery, mechanism=[bond("base", "floor")]).findings
    yield "unknown bearing", judged(hinge(bearing_id="608xx"))
    yield "unsuitable bearing", judged(hinge(kind="linear", bearing_id="608zz"))
    yield "axis that is not a unit vector", judged(hinge(axis=(0.0, 0.0, 3.0)))
    yield "joint between bonded parts", judged(bond("base", "arm"), hinge())
    fixed = (bond("base", "floor"), bond("base", "arm"))
    yield "joint between fixed parts", judged(*fixed, hinge(parent="floor"))
    yield "second joint between two parts", judged(hinge("one"), hinge("two", anchor_mm=(20.0, 0.0, 20.0)))
    wing = designs.part("wing", (40, 10, 10), (60, 60, 120))
    far = hinge(parent="floor", child="wing", anchor_mm=(60, 60, 120))
    yield "joint far from the floor", designs.judge(wing, mechanism=[far]).findings
    with_wing = _judged(designs, _base_arm_and_wing)
    yield "label of two joints", with_wing(hinge(), hinge(parent="arm", child="wing"))
    yield "loop of joints", with_wing(hinge("a"), hinge("b", "arm", "wing"), hinge("c", "wing", "base"))


def _base_arm_and_wing(designs: Designs) -> list[Part]:
    return [*_base_and_arm(designs), designs.part("wing", (20, 20, 10), (0, 0, 35))]


def _motor(catalog_id: str) -> Part:
    """Return a motor upside down on the hinge's axis: its shaft points at the arm from above."""
    part: Part = Pos(0, 0, 30) * Rot(180, 0, 0) * bought_part(catalog_id)
    part.label = "motor"
    vars(part)["metadata"] = {"catalog_id": catalog_id}
    return part


def motor_cases(designs: Designs) -> Iterator[Case]:
    judged = _judged(designs, lambda each: [*_base_and_arm(each), _motor("pololu-37d-50")])
    glue = bond("motor", "arm")
    mechanisms: dict[str, list[MechanismItem]] = {
        "motor that is not a part": [hinge(), turn(part="moter")],
        "made part as a motor": [hinge(), glue, turn(part="arm")],
        "motor of a missing joint": [hinge(), glue, turn(joint="axle")],
        "loose motor": [hinge(), turn()],
        "motor of a ball joint": [hinge(kind="ball"), glue, turn()],
        "turning joint with a pinion": [hinge(), glue, turn(pinion_radius_mm=5.0)],
        "shaft beside the axis": [hinge(anchor_mm=(1.5, 0.0, 20.0)), glue, turn()],
        "two motors of one joint": [hinge(), glue, turn(), turn()],
    }
    for title, mechanism in mechanisms.items():
        yield title, judged(*mechanism)
    yield from _drive_cases(designs)
    small = _judged(designs, lambda each: [*_base_and_arm(each), _motor("pololu-n20-hpcb-75")])
    yield "motor without encoder", small(hinge(), glue, turn(control=Positions(times_s=(1.0,), targets=(30.0,))))
    for title, catalog_id, length_mm in (
        ("modified bought part", "pololu-37d-50", 69.5),
        ("unknown bought part", "pololu-37d-55", 70),
    ):
        shape = designs.as_part("motor", Pos(0, 0, length_mm / 2) * Cylinder(18.5, length_mm), method=None)
        vars(shape)["metadata"] = {"catalog_id": catalog_id}
        yield title, designs.judge(shape).findings


def _drive_cases(designs: Designs) -> Iterator[Case]:
    cart, servo = DrivenCart(), DrivenCart(motor_id="sg90", control=Positions(times_s=(1.0,), targets=(80.0,)))
    number = cart.drive(pinion=None, rack=None, pinion_radius_mm=2.5)
    yield "sliding joint without a pinion", cart.findings(designs, motor=number)
    yield "pinion beside the shaft", DrivenCart(pinion_off_mm=(3.0, 0.0, 0.0)).findings(designs)
    yield "rack of the wrong side", cart.findings(designs, motor=cart.drive(rack="cart"))
    yield "glued pinion", cart.findings(designs, bond("pinion", "rail"))
    short = DrivenCart(rail_mm=(170.0, 10.0, 30.0), rail_center_mm=(-32.5, 0.0, 15.0))
    yield "rail shorter than the travel", short.findings(designs)
    yield "slide without limits", DrivenCart(travel_mm=None).findings(designs)
    yield "slide into its rail", DrivenCart(axis=(0.98, 0.0, -0.199)).findings(designs)
    yield "servo beyond its range", servo.findings(designs)


def coupling_cases(designs: Designs) -> Iterator[Case]:
    judged = _judged(designs, _base_arm_and_wing)
    joints = (hinge(), hinge("other", "arm", "wing"))
    gear = Coupling(kind="gear", first="hinge", second="other", ratio=-2.0)
    yield "coupling of a missing joint", judged(*joints, gear.model_copy(update={"second": "axle"}))
    yield "coupling of a joint with itself", judged(*joints, gear.model_copy(update={"second": "hinge"}))
    yield "rack of two revolute joints", judged(*joints, gear.model_copy(update={"kind": "rack"}))
    yield "coupling with a ratio of zero", judged(*joints, gear.model_copy(update={"ratio": 0.0}))
    yield "coupling twice", judged(*joints, gear, gear.model_copy(update={"ratio": 2.0}))
    plate = designs.part("plate", (140, 60, 10), (30, 0, 5))
    wheels = [designs.as_part(name, Pos(x, 0, 13) * Cylinder(r, 6)) for name, x, r in (("p", 0, 10), ("q", 45, 20))]
    axles = [hinge("a", "plate", "p", anchor_mm=(0, 0, 13)), hinge("b", "plate", "q", anchor_mm=(45, 0, 13))]
    couple = gear.model_copy(update={"first": "a", "second": "b"})
    yield "wheels that do not meet", designs.judge(plate, *wheels, mechanism=[*axles, couple]).findings
    equal = [designs.as_part(name, Pos(x, 0, 13) * Cylinder(10, 6)) for name, x in (("p", 0), ("q", 20.1))]
    near = [axles[0], hinge("b", "plate", "q", anchor_mm=(20.1, 0, 13))]
    many = couple.model_copy(update={"ratio": -1 / 150})
    yield "equal wheels with another ratio", designs.judge(plate, *equal, mechanism=[*near, many]).findings
    bodies = [designs.part(name, (10, 10, 10), (11 * index, 0, 15)) for index, name in enumerate("pqrs")]
    apart = [hinge("a", "p", "q", anchor_mm=(5, 0, 15)), hinge("b", "r", "s", anchor_mm=(27, 0, 15))]
    yield "wheels on two frames", designs.judge(plate, *bodies, mechanism=[*apart, couple]).findings
