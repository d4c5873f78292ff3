"""Each rule reports exactly its violations, with part and measured value."""

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


def test_build_zone_tolerance_is_a_thousandth(designs: Designs) -> None:
    assert designs.rules(designs.part("beam", (100, 10, 10), (139.9995, 0, 5.0005))) == []
    (finding,) = designs.judge(designs.part("beam", (100, 10, 10), (-100.5, 0, 5))).findings
    assert finding.rule == "outside_build_zone"
    assert "x = -150.50 mm, 0.50 mm below the limit of -150.00 mm" in finding.detail


def test_rotated_part_is_measured_by_its_corners(designs: Designs) -> None:
    leaning = designs.part("plank", (10, 10, 100), (0, 0, 39), rotation=(0, 45, 0))
    found = designs.rules(leaning)
    half_height = (10 + 100) / 2 * 0.5**0.5
    assert half_height < 39
    assert ("outside_build_zone", "plank") not in found
    assert ("outside_build_zone", "plank") in designs.rules(
        designs.part("plank", (10, 10, 100), (0, 0, half_height - 0.01), rotation=(0, 45, 0))
    )


def test_touching_a_forbid_zone_is_reported(designs: Designs) -> None:
    assert designs.rules(designs.part("block", (10, 10, 10), (-95, -120, 5))) == [("inside_forbid_zone", "block")]
    assert designs.rules(designs.part("block", (10, 10, 10), (-94.99, -120, 5))) == []


def test_forbid_zone_of_the_payload_may_hold_parts(designs: Designs, variant: Variant) -> None:
    zones = tuple(zone.model_copy(update={"binds": "payload"}) for zone in variant.forbid_zones)
    free = Designs(variant.model_copy(update={"forbid_zones": zones}), designs.environment, designs.known)
    assert free.rules(designs.part("block", (10, 10, 10), (-95, -120, 5))) == []


def test_forbid_zone_ignores_bounding_box_of_rotated_part(designs: Designs) -> None:
    # The zone's corner is at (-100, -100); the diamond's corners reach past it, its flank does not.
    assert designs.rules(designs.part("diamond", (40, 40, 10), (-83, -83, 5), rotation=(0, 0, 45))) == []
    assert designs.rules(designs.part("diamond", (40, 40, 10), (-87, -87, 5), rotation=(0, 0, 45))) == [
        ("inside_forbid_zone", "diamond")
    ]


def test_overlap_of_a_tenth_of_a_millimetre_interferes(designs: Designs) -> None:
    base = designs.part("base", (40, 40, 10), (0, 0, 5))
    assert designs.rules(base, designs.part("top", (40, 40, 10), (0, 0, 15))) == []
    (finding,) = designs.judge(base, designs.part("top", (40, 40, 10), (0, 0, 14.9))).findings
    assert (finding.rule, finding.label) == ("interference", "base")
    assert "160.0 mm³ around (0.0, 0.0, 9.9) mm" in finding.detail
    assert "base 0.10 mm along (0.00, 0.00, -1.00) or top along (0.00, 0.00, 1.00)" in finding.detail


def test_one_cubic_millimetre_counts_as_contact(designs: Designs) -> None:
    base = designs.part("base", (10, 10, 10), (0, 0, 5))
    assert designs.rules(base, designs.part("top", (10, 10, 10), (0, 0, 14.991))) == []
    assert designs.rules(base, designs.part("top", (10, 10, 10), (0, 0, 14.989))) == [("interference", "base")]


def test_overlap_with_environment_is_reported(designs: Designs) -> None:
    assert designs.rules(designs.part("bar", (20, 20, 20), (180.5, 0, 10))) == [
        ("outside_build_zone", "bar"),
        ("environment_interference", "bar"),
    ]
    assert designs.rules(designs.part("bar", (20, 20, 20), (180, 0, 10))) == []


def test_overlap_of_rotated_parts_is_reported(designs: Designs) -> None:
    first = designs.part("first", (60, 10, 10), (0, 0, 5))
    second = designs.part("second", (60, 10, 10), (0, 0, 5), rotation=(0, 0, 30))
    assert designs.rules(first, second) == [("interference", "first")]


def test_overlap_with_payload_is_reported(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 130), (0, 0, 65))
    assert designs.rules(leg) == []  # the ball's lowest point is at 130 mm: it rests on the leg
    found = designs.rules(designs.part("leg", (10, 10, 130.5), (0, 0, 65.25)))
    assert found == [("interference", "leg")]


def test_floating_parts_are_reported_with_distance(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    plate = designs.part("plate", (30, 30, 4), (0, 0, 53.2))
    lid = designs.part("lid", (30, 30, 4), (0, 0, 57.2))
    findings = designs.judge(leg, plate, lid).findings
    assert [(finding.rule, finding.label) for finding in findings] == [("floating", "plate"), ("floating", "lid")]
    assert "leg, is 1.20 mm away" in findings[0].detail


def test_gap_of_five_hundredths_counts_as_contact(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25.04))
    assert designs.rules(leg) == []
    assert designs.rules(designs.part("leg", (10, 10, 50), (0, 0, 25.06))) == [("floating", "leg")]


def test_chain_of_contacts_does_not_float(designs: Designs) -> None:
    chain = [designs.part(f"link_{i}", (10, 10, 10), (10 * i, 0, 5 + 10 * i)) for i in range(5)]
    steps = [designs.part(f"step_{i}", (10, 10, 10), (10 * i + 10, 0, 5 + 10 * i)) for i in range(5)]
    assert designs.rules(*reversed(chain), *steps) == []


def test_copies_of_environment_are_reported(designs: Designs) -> None:
    floor = designs.part("mine", (400, 400, 10), (0, 0, -5))
    assert designs.rules(floor) == [("environment_changed", "mine")]
    assert designs.rules(designs.part("wall", (10, 10, 10), (0, 0, 5))) == [("environment_changed", "wall")]


def test_environment_with_wrong_digest_is_reported(designs: Designs) -> None:
    good = designs.request(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    shifted = capture_design(Pos(0, 0, -0.02) * Box(400, 400, 10)).parts[0].brep
    forged = good.environment.model_copy(update={"brep": shifted, "solids": good.environment.solids[:1]})
    request = DesignRequest(design=good.design, environment=forged, assignment=good.assignment)
    assert [finding.rule for finding in judge(request).findings] == ["environment_changed"]


def test_exceeded_limits_are_reported(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    foot = designs.part("foot", (30, 30, 5), (50, 0, 2.5))
    assert designs.rules(leg, foot, limits=Limits(max_parts=2, max_mass_kg=0.02, max_unit_price_usd=100)) == []
    assert designs.rules(leg, foot, limits=Limits(max_parts=1)) == [("too_many_parts", "")]
    assert designs.rules(leg, foot, limits=Limits(max_mass_kg=0.005)) == [("over_mass", "foot")]
    assert designs.rules(leg, foot, limits=Limits(max_unit_price_usd=1)) == [("over_price", "leg")]


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
