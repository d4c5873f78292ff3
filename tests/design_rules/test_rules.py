"""Each rule reports exactly its violations, with part and measured value."""

import re

import pytest
from build123d import Box, Compound, Pos
from cad_worker.capture.design import capture_design
from cad_worker.jobs.design import judge
from contracts.models.benchmark import Limits, Variant
from design_rules.bodies.multibody import RigidGroups
from design_rules.design_data import DesignData, DesignRequest, PartData
from design_rules.rules.contact import interferences
from design_rules.rules.manufacturability import inspect

from tests.support.designs import Designs


def test_leg_on_floor_is_accepted(designs: Designs) -> None:
    judgement = designs.judge(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    assert judgement.findings == ()
    assert judgement.scene is not None
    assert judgement.bill is not None
    assert set(judgement.part_steps) == {"leg"}


def test_empty_assembly_is_reported(designs: Designs) -> None:
    assert designs.rules() == [("empty", "")]


@pytest.mark.parametrize("label", ["", "x" * 65, "ß" * 65])
def test_invalid_label_is_not_a_part(designs: Designs, label: str) -> None:
    assert designs.rules(designs.part(label, (10, 10, 50), (0, 0, 25))) == [("not_a_part", "")]


def test_label_with_blanks_counts_as_one_with_underscores(designs: Designs) -> None:
    for label in ("leg 1", "1st leg", "Träger (links) №2", "../etc", "a/b"):
        assert designs.rules(designs.part(label, (10, 10, 50), (0, 0, 25))) == []
    legs = [designs.part(label, (10, 10, 50), (x, 0, 25)) for label, x in (("leg 1", 0), ("leg_1", 30))]
    assert designs.rules(*legs) == [("duplicate_label", "leg_1")]


def test_duplicate_label_is_reported_once(designs: Designs) -> None:
    legs = [designs.part("leg", (10, 10, 50), (x, 0, 25)) for x in (0, 30)]
    assert designs.rules(*legs) == [("duplicate_label", "leg")]


def test_two_solids_are_not_a_part(designs: Designs) -> None:
    pair = Compound([(Pos(x, 0, 5) * Box(10, 10, 10)).solid() for x in (0, 30)])
    pair.label = "pair"
    assert designs.rules(pair) == [("not_a_part", "pair")]


def test_unreadable_brep_is_not_a_part(designs: Designs) -> None:
    good = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    brep = good.design.parts[0].brep
    for forged in (b"", b"rubbish", brep[:200], brep[: len(brep) // 2]):
        part = PartData(label="leg", kind="Box", brep=forged, manufacturing_method="3d_printing", material_id="pla")
        forgery = DesignRequest(
            design=DesignData(parts=(part,)), environment=good.environment, assignment=good.assignment
        )
        assert [finding.rule for finding in judge(forgery).findings] == ["not_a_part"]


@pytest.mark.parametrize(
    ("method", "material", "expected"),
    [
        (None, "pla", ["missing_method"]),
        ("casting", "pla", ["missing_method"]),
        ("cnc", None, ["missing_material"]),
        ("cnc", "unobtainium", ["unknown_material"]),
        ("cnc", "pla", ["unknown_material"]),
        (None, None, ["missing_method"]),
    ],
)
def test_unknown_or_unsuitable_method_and_material_are_reported(
    designs: Designs, method: str | None, material: str | None, expected: list[str]
) -> None:
    part = designs.part("leg", (10, 10, 50), (0, 0, 25), method=method, material=material)
    assert [rule for rule, _ in designs.rules(part)] == expected


def test_forbid_zone_of_the_payload_may_hold_parts(designs: Designs, variant: Variant) -> None:
    zones = tuple(zone.model_copy(update={"binds": "payload"}) for zone in variant.forbid_zones)
    free = Designs(variant.model_copy(update={"forbid_zones": zones}), designs.environment, designs.known)
    assert free.rules(designs.part("block", (10, 10, 10), (-95, -120, 5))) == []


def test_chain_of_contacts_does_not_float(designs: Designs) -> None:
    chain = [designs.part(f"link_{i}", (10, 10, 10), (10 * i, 0, 5 + 10 * i)) for i in range(5)]
    steps = [designs.part(f"step_{i}", (10, 10, 10), (10 * i + 10, 0, 5 + 10 * i)) for i in range(5)]
    assert designs.rules(*reversed(chain), *steps) == []


def test_environment_with_wrong_digest_is_reported(designs: Designs) -> None:
    good = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    shifted = capture_design(Pos(0, 0, -0.02) * Box(400, 400, 10)).parts[0].brep
    forged = good.environment.model_copy(update={"brep": shifted, "solids": good.environment.solids[:1]})
    request = DesignRequest(design=good.design, environment=forged, assignment=good.assignment)
    assert [finding.rule for finding in judge(request).findings] == ["environment_changed"]


def test_limits_may_be_reached_but_not_exceeded(designs: Designs) -> None:
    leg, foot = designs.part("leg", (10, 10, 50), (0, 0, 25)), designs.part("foot", (40, 40, 5), (50, 0, 2.5))
    bill = designs.judge(leg, foot).bill
    assert bill is not None
    price, mass = bill.unit_price_usd, bill.mass_kg
    exact = Limits(max_parts=2, max_unit_price_usd=price, max_mass_kg=mass)
    assert designs.rules(leg, foot, limits=exact) == []
    lower = Limits(max_parts=1, max_unit_price_usd=price * 0.999, max_mass_kg=mass * 0.999)
    found = designs.judge(leg, foot, limits=lower).findings
    assert [(each.rule, each.label) for each in found] == [
        ("too_many_parts", ""),
        ("over_price", "foot"),
        ("over_mass", "foot"),
    ]
    count, dear, heavy = (each.detail for each in found)
    assert "has 2 parts, the limit is 1" in count
    assert f"costs {price:.2f} USD at a quantity of 100, the limit is {price * 0.999:.2f} USD" in dear
    assert f"weighs {mass * 1000:.1f} g, the limit is {mass * 999:.1f} g" in heavy
    assert f"foot with {bill.lines[1].mass_kg * 1000:.1f} g" in heavy


def test_over_price_names_the_method_that_saves_most(designs: Designs) -> None:
    milled = [
        designs.part(label, (40, 40, 5), (x, 0, 2.5), method="cnc", material="aluminum-6061")
        for label, x in (("left", -50), ("right", 50))
    ]
    printed = designs.part("leg", (10, 10, 50), (0, 0, 25))
    (finding,) = designs.judge(*milled, printed, limits=Limits(max_unit_price_usd=1)).findings
    bill = designs.judge(*milled, printed).bill
    assert bill is not None
    milled_usd = bill.lines[0].unit_price_usd
    way = r"make left and the 1 equal to it by (\w+) in (\S+) \((\S+) USD\) in place of cnc"
    quoted = re.search(way, finding.detail)
    assert quoted is not None, finding.detail
    method, material, price = quoted.groups()
    other = [
        designs.part(label, (40, 40, 5), (x, 0, 2.5), method=method, material=material)
        for label, x in (("left", -50), ("right", 50))
    ]
    cheaper = designs.judge(*other, printed).bill
    assert cheaper is not None
    assert cheaper.lines[0].unit_price_usd == pytest.approx(float(price), abs=0.01)
    assert float(price) < milled_usd


def test_over_price_of_the_cheapest_methods_names_no_other(designs: Designs) -> None:
    (finding,) = designs.judge(
        designs.part("leg", (10, 10, 50), (0, 0, 25)), limits=Limits(max_unit_price_usd=0.01)
    ).findings
    assert "in place of" not in finding.detail


def test_all_findings_are_reported_together(designs: Designs) -> None:
    found = designs.rules(
        designs.part("a", (10, 10, 10), (0, 0, 100), material=None),
        designs.part("b", (10, 10, 10), (0, 5, 100)),
        designs.part("c", (10, 10, 10), (-120, -120, 4)),
        limits=Limits(max_parts=1),
    )
    assert {rule for rule, _ in found} == {
        "missing_material",
        "interference",
        "floating",
        "outside_build_zone",
        "inside_forbid_zone",
        "environment_interference",
        "too_many_parts",
    }


def test_overlaps_are_limited_to_forty(designs: Designs) -> None:
    heap = [designs.part(f"p{i}", (30, 30, 10), (i % 8 * 12 - 40, i // 8 * 12 - 40, 5)) for i in range(60)]
    assert len(interferences(inspect(designs.request(*heap).design, quantity=1).parts, (), RigidGroups((), ()))) == 40


def test_limits_are_exceeded_only_above_them(designs: Designs, monkeypatch: pytest.MonkeyPatch) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    foot = designs.part("foot", (30, 30, 5), (50, 0, 2.5))
    bill = designs.judge(leg, foot).bill
    assert bill is not None
    exact = Limits(max_unit_price_usd=bill.unit_price_usd, max_mass_kg=bill.mass_kg)
    assert designs.rules(leg, foot, limits=exact) == []
    monkeypatch.setattr("design_rules.rules.manufacturability.MAX_PARTS", 2)
    assert designs.rules(leg, foot) == []
    monkeypatch.setattr("design_rules.rules.manufacturability.MAX_PARTS", 1)
    assert designs.rules(leg, foot) == [("too_many_parts", "")]
