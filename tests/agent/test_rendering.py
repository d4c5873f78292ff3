"""Tests of rendered tables: complete and machine-readable."""

import pytest
from agent.rendering.assignment import assignment_markdown, payload_table, zones_table
from agent.rendering.environment_motion import NOTHING, environment_motion
from agent.rendering.prices import materials_markdown
from agent.rendering.tables import limit, number
from agent.rendering.verdicts import bill_markdown, limits_markdown, simulation_markdown
from contracts.models.benchmark import Limits, Obstacle, Solid, Zone
from contracts.models.geometry import Box
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Motor, Oscillation, Positions, Steps
from offline_expert.markdown import LabelledBox, boxes, numbers, value
from parts_catalog.materials import MATERIALS

from tests.contracts import example_values as values

TASK = assignment_markdown(values.ASSIGNMENT, values.ENVIRONMENT)


def test_number_has_three_decimals_and_no_trailing_zeros() -> None:
    assert [number(each) for each in (1.0, -0.0004, 12.3456, 100.0, 0.5)] == ["1", "0", "12.346", "100", "0.5"]


def test_missing_limit_is_none() -> None:
    assert limit(None, "kg") == "none"
    assert limit(2.5, "kg") == "2.5 kg"


def test_assignment_lists_every_zone_and_solid() -> None:
    variant = values.VARIANT
    expected = [
        ("bounds", "bounds", variant.bounds),
        ("build", "build", variant.build_zone),
        ("goal", "goal", variant.goal_zone),
        *(("forbid", zone.label, zone.box) for zone in variant.forbid_zones),
        *(("environment", solid.label, solid.box) for solid in values.ENVIRONMENT.solids),
    ]
    assert boxes(TASK) == [LabelledBox(kind, label, box.min_mm, box.max_mm) for kind, label, box in expected]


@pytest.mark.parametrize(("rule", "text"), [("all", "**All of them** must"), ("any", "**Any one of them** must")])
def test_assignment_of_several_payloads_says_which_must_arrive(rule: str, text: str) -> None:
    first = values.VARIANT.payload
    other = first.model_copy(update={"label": "other", "start_mm": tuple(each + 60.0 for each in first.start_mm)})
    variant = values.VARIANT.model_copy(update={"more_payloads": (other,), "must_arrive": rule})
    task = assignment_markdown(values.ASSIGNMENT.model_copy(update={"variant": variant}), values.ENVIRONMENT)
    assert "## Payload\n" not in task
    assert text in task
    assert f"| label | {first.label} | other |" in task
    low, high = first.box.min_mm, other.box.max_mm
    assert numbers(value(task, "box around all payloads at the start") or "") == pytest.approx([*low, *high])
    assert value(task, "goal rule") == value(TASK, "goal rule")
    assert 'run.body_mm("other")' in task


def test_assignment_lists_payload_times_and_limits() -> None:
    assert value(TASK, "shape") == "ball"
    assert numbers(value(TASK, "start (centre)") or "") == [-250, 0, 350]
    assert value(TASK, "size (diameter)") == "30 mm"
    assert value(TASK, "hold in the goal zone") == "1.5 s"
    assert value(TASK, "unit price") == "40 USD"
    assert value(TASK, "quantity") == "250"
    assert values.VARIANT.description in TASK


def test_bill_is_shown_with_its_limits() -> None:
    shown = limits_markdown(values.BILL, Limits(max_mass_kg=0.05))
    assert "| mass | 0.067 kg | 0.05 kg |" in shown
    assert "| unit price | 2.15 USD | none |" in shown


def test_bill_sums_up_to_the_price_of_one_machine() -> None:
    *lines, total = [line.strip("| ").split(" | ") for line in bill_markdown(values.BILL).splitlines()[2:]]
    assert lines[0][0] == "channel-1"
    assert total[0] == "all together"
    assert sum(float(line[-1]) for line in lines) == pytest.approx(float(total[-1]), abs=0.01 * len(lines))
    assert sum(float(line[-2]) for line in lines) == pytest.approx(float(total[-2]), abs=0.1 * len(lines))


def test_simulation_lists_the_endings_of_replicas() -> None:
    shown = simulation_markdown(values.RESULT)
    assert value(shown, "verdict") == "solved"
    assert value(shown, "replicas that ended `touched_forbid`") == "1"
    assert values.RESULT.summary_md in shown


def test_every_material_is_listed() -> None:
    shown = materials_markdown()
    assert all(f"| {material} |" in shown for material in MATERIALS)


def test_supply_limit_is_shown() -> None:
    variant = values.VARIANT.model_copy(update={"supply_limit_w": 12.5})
    shown = assignment_markdown(values.ASSIGNMENT.model_copy(update={"variant": variant}), values.ENVIRONMENT)
    assert value(shown, "power of all motors together") == "12.5 W"


def test_power_that_the_machine_pays_for_is_shown() -> None:
    shown = {
        owner: assignment_markdown(
            values.ASSIGNMENT.model_copy(update={"variant": values.VARIANT.model_copy(update={"power": owner})}),
            values.ENVIRONMENT,
        )
        for owner in ("bench", "machine")
    }
    assert "in the unit price" in (value(shown["machine"], "supply, drivers, controller, cables of motors") or "")
    assert "in the unit price" not in shown["bench"]


def test_binding_of_zones_obstacles_and_jitter_are_shown() -> None:
    box = values.VARIANT.goal_zone
    zones = tuple(Zone(label=binds, box=box, binds=binds) for binds in ("both", "parts", "payload"))
    obstacle = Obstacle(label="crate", box=box)
    variant = values.VARIANT.model_copy(
        update={"forbid_zones": zones, "obstacles": (obstacle,), "replica_jitter_mm": 1.5}
    )
    kinds = [row.split("|")[1:3] for row in zones_table(variant).splitlines()[5:]]
    assert [[cell.strip() for cell in row] for row in kinds] == [
        ["forbid", "both"],
        ["forbid parts", "parts"],
        ["forbid payload", "payload"],
        ["obstacle", "crate"],
    ]
    assert value(payload_table(variant), "start of replicas") == "up to 1.5 mm instead of 5 mm"


def test_moving_parts_are_shown_with_joint_motor_and_timing() -> None:
    assert "## Moving parts of the environment" in TASK
    gate = Joint(
        label="hinge", kind="revolute", parent="ground", child="gate", anchor_mm=(0, 5, 0), angle_range_deg=(-50, 50)
    )
    slide = Joint(label="rail", kind="linear", parent="ground", child="door", anchor_mm=(0, 0, 9), axis=(1, 0, 0))
    motors = (
        Motor(part="servo", joint="hinge", control=Oscillation(amplitude=40, frequency_hz=0.5)),
        Motor(part="motor", joint="rail", control=Steps(times_s=(0, 2), shares=(0.5, -1))),
    )
    glued = Connection(first="servo", second="ground", means="bonded")
    coupling = Coupling(kind="rack", first="hinge", second="rail", ratio=-0.5)
    shown = environment_motion(
        Mechanism(joints=(gate, slide), motors=motors, connections=(glued,), couplings=(coupling,)),
        (
            Solid(label="gate", box=Box(min_mm=(0, 0, 0), max_mm=(9, 9, 9))),
            Solid(label="crate", box=Box(min_mm=(50, 0, 0), max_mm=(60, 9, 9)), material_id="pom", is_loose=True),
        ),
        (Obstacle(label="sweep", box=Box(min_mm=(-20, -20, 0), max_mm=(20, 20, 30))),),
    )
    assert shown.splitlines() == [
        "- `gate` turns on the axis through (0, 5, 0) mm along (0, 0, 1), from -50 to 50 degrees on `ground` (joint "
        "`hinge`); the motor `servo` drives it: to and fro by 40 degrees about 0, 0.5 times a second, from the phase 0 "
        "degrees on; it moves inside the obstacle `sweep`; a part that stands in its path is refused",
        "- `door` slides on the axis through (0, 0, 9) mm along (1, 0, 0) on `ground` (joint `rail`); the motor "
        "`motor` drives it: share of its voltage 50% at 0 s, -100% at 2 s; a part that stands in its path is refused",
        "- `servo` and `ground` are glued together",
        "- joint `rail` moves by -0.5 x joint `hinge` (rack)",
        "- `crate` lies loose: what touches it pushes it",
    ]
    assert environment_motion(Mechanism(), (), ()) == NOTHING


def test_part_without_a_motor_is_pushed_and_targets_have_times() -> None:
    flap = Joint(label="flap_hinge", kind="ball", parent="ground", child="flap", anchor_mm=(0, 0, 0))
    assert "no motor: it moves when it is pushed" in environment_motion(Mechanism(joints=(flap,)), (), ())
    hinge = flap.model_copy(update={"kind": "revolute"})
    control = Positions(times_s=(1, 2), targets=(0, 60))
    driven = Mechanism(joints=(hinge,), motors=(Motor(part="servo", joint="flap_hinge", control=control),))
    assert "to 0 degrees at 1 s, 60 degrees at 2 s, evenly in between" in environment_motion(driven, (), ())
