"""What a shop would charge, against sums by hand."""

import pytest
from build123d import Box, Pos
from build_package.assembly.work_steps import work_steps
from build_package.cost.quantities import cost_of
from build_package.cost.work import work_of
from contracts.models.design import HardwareLine
from contracts.models.mechanism import Connection, Constant, Joint, Mechanism
from geometry.assembly.steps import AssemblyStep
from parts_catalog.fasteners import FASTENERS
from parts_catalog.parts import part

from tests.build_package.machines import Made, machine_of
from tests.build_package.test_control import machine

SCREW = next(iter(FASTENERS.values()))


def two_plates(screws: int) -> tuple[list[Made], Mechanism]:
    places = tuple((10.0 * number, 0.0, 20.0) for number in range(screws))
    joint = Connection(
        first="lid", second="base", means="fastened", fastener_id=SCREW.id, places_mm=places,
        directions=((0.0, 0.0, -1.0),) * screws,
    )  # fmt: skip
    glue = Connection(first="base", second="table", means="bonded")
    parts = [Made("base", Box(100, 100, 10)), Made("lid", Pos(0, 0, 15) * Box(100, 100, 10))]
    return parts, Mechanism(connections=(joint, glue))


def test_screwed_lid_takes_the_minutes_of_its_screws_and_of_its_mounting() -> None:
    """By hand: bring the lid 0.5 and four screws 2.0; bring the machine 0.5 and glue it 2.0; look at it 5.0."""
    parts, mechanism = two_plates(4)
    made = machine_of(parts, mechanism, (AssemblyStep(("lid",), ("base",), (0.0, 0.0, -1.0)),))
    work = work_of(made, work_steps(made), None)
    assert [each.minutes for each in work] == pytest.approx([2.5, 2.5, 5.0])


def test_price_of_ten_machines_has_a_tenth_of_the_set_up_and_learned_minutes() -> None:
    """By hand: 10 minutes, an hour for the order, 55 USD/h and a quarter of margin; 0.9^log2(10) = 0.7047."""
    parts, mechanism = two_plates(4)
    hardware = (HardwareLine(catalog_id=SCREW.id, what="screw", count=4, mass_kg=0.0, unit_price_usd=0.0),)
    made = machine_of(parts, mechanism, (AssemblyStep(("lid",), ("base",), (0.0, 0.0, -1.0)),), hardware)
    one, ten, hundred, thousand = cost_of(made, work_steps(made), None).prices
    assert [each.quantity for each in (one, ten, hundred, thousand)] == [1, 10, 100, 1000]
    assert one.work_usd == pytest.approx(1.25 * 55 * (10 / 60 + 1))
    assert ten.work_usd == pytest.approx(1.25 * 55 * (0.7047 * 10 / 60 + 0.1), rel=1e-4)
    assert thousand.work_usd == pytest.approx(1.25 * 55 * (0.5 * 10 / 60 + 0.001)), "it is learned by half at most"
    assert hundred.parts_usd < ten.parts_usd < one.parts_usd
    screw_usd = part(SCREW.id).price_usd
    free = cost_of(machine_of(parts, mechanism), (), None).prices
    assert thousand.parts_usd - free[3].parts_usd == pytest.approx(4 * 0.5 * screw_usd), "4,000 at half the price"


def test_work_on_motors_grows_with_cables_boards_and_tests() -> None:
    """By hand, one DC motor: supply, driver and controller 15; program 5; test 5; 4 cables 16; check 5; a joint to the
    benchmark's own arm 2."""
    made = machine(("gm37d-12v-100", Constant(share=0.5)))
    circuit = made.circuit
    assert circuit is not None
    assert sum(each.minutes for each in work_of(made, (), circuit)) == pytest.approx(15 + 5 + 5 + 16 + 5 + 2)


def test_joint_adds_minutes_to_its_step() -> None:
    joint = Joint(label="hinge", kind="revolute", parent="base", child="lid", anchor_mm=(0, 0, 10))
    parts, _ = two_plates(0)
    made = machine_of(parts, Mechanism(joints=(joint,)), (AssemblyStep(("lid",), ("base",), None),))
    assert work_steps(made)[0].minutes == pytest.approx(0.5 + 1.5)
