"""Tests of rendered tables: complete and machine-readable."""

from agent.rendering.assignment import assignment_markdown, materials_markdown
from agent.rendering.tables import limit, number
from agent.rendering.verdicts import bill_markdown, limits_markdown, simulation_markdown
from contracts.models.benchmark import Limits
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
    assert "channel-1" in bill_markdown(values.BILL)


def test_simulation_lists_the_endings_of_replicas() -> None:
    shown = simulation_markdown(values.RESULT)
    assert value(shown, "verdict") == "solved"
    assert value(shown, "replicas that ended `touched_forbid`") == "1"
    assert values.RESULT.summary_md in shown


def test_every_material_is_listed() -> None:
    shown = materials_markdown()
    assert all(f"| {material} |" in shown for material in MATERIALS)
