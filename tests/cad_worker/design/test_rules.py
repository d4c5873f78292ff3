"""Every rule reports what it is for, where, how much, and nothing else."""

import pytest
from build123d import Box, Compound, Pos
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import DesignData, DesignRequest, PartData
from cad_worker.jobs.design import judge
from cad_worker.validation.rules.contact import interferences
from cad_worker.validation.rules.manufacturability import inspect
from contracts.models.benchmark import Limits

from tests.cad_worker.design.shop import Shop


def test_a_leg_on_the_floor_is_accepted(shop: Shop) -> None:
    judgement = shop.judge(shop.part("leg", (10, 10, 50), (0, 0, 25)))
    assert judgement.findings == ()
    assert judgement.scene is not None
    assert judgement.bill is not None
    assert set(judgement.part_steps) == {"leg"}


def test_nothing_is_no_machine(shop: Shop) -> None:
    assert shop.rules() == [("empty", "")]


@pytest.mark.parametrize("label", ["", "1st", "a b", "x" * 65, "../etc"])
def test_a_label_must_be_safe(shop: Shop, label: str) -> None:
    assert shop.rules(shop.part(label, (10, 10, 50), (0, 0, 25))) == [("not_a_part", "")]


def test_a_label_may_stand_once(shop: Shop) -> None:
    legs = [shop.part("leg", (10, 10, 50), (x, 0, 25)) for x in (0, 30)]
    assert shop.rules(*legs) == [("duplicate_label", "leg")]


def test_two_solids_are_not_one_part(shop: Shop) -> None:
    pair = Compound([(Pos(x, 0, 5) * Box(10, 10, 10)).solid() for x in (0, 30)])
    pair.label = "pair"
    assert shop.rules(pair) == [("missing_method", "pair"), ("missing_material", "pair"), ("not_a_part", "pair")]


def test_bytes_that_are_no_geometry_are_refused(shop: Shop) -> None:
    good = shop.request(shop.part("leg", (10, 10, 50), (0, 0, 25)))
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
        (None, None, ["missing_method", "missing_material"]),
    ],
)
def test_method_and_material_must_be_known_and_fit(
    shop: Shop, method: str | None, material: str | None, expected: list[str]
) -> None:
    part = shop.part("leg", (10, 10, 50), (0, 0, 25), method=method, material=material)
    assert [rule for rule, _ in shop.rules(part)] == expected


def test_a_part_must_stay_in_the_build_zone_to_a_thousandth(shop: Shop) -> None:
    assert shop.rules(shop.part("beam", (100, 10, 10), (139.9995, 0, 5.0005))) == []
    (finding,) = shop.judge(shop.part("beam", (100, 10, 10), (-100.5, 0, 5))).findings
    assert finding.rule == "outside_build_zone"
    assert "x = -150.50 mm, 0.50 mm below the limit of -150.00 mm" in finding.detail


def test_a_rotated_part_is_measured_by_its_true_corners(shop: Shop) -> None:
    leaning = shop.part("plank", (10, 10, 100), (0, 0, 39), rotation=(0, 45, 0))
    found = shop.rules(leaning)
    half_height = (10 + 100) / 2 * 0.5**0.5
    assert half_height < 39
    assert ("outside_build_zone", "plank") not in found
    assert ("outside_build_zone", "plank") in shop.rules(
        shop.part("plank", (10, 10, 100), (0, 0, half_height - 0.01), rotation=(0, 45, 0))
    )


def test_touching_a_forbid_zone_even_slightly_is_refused(shop: Shop) -> None:
    assert shop.rules(shop.part("block", (10, 10, 10), (-95, -120, 5))) == [("inside_forbid_zone", "block")]
    assert shop.rules(shop.part("block", (10, 10, 10), (-94.99, -120, 5))) == []


def test_a_rotated_part_whose_bounding_box_alone_meets_a_forbid_zone_is_fine(shop: Shop) -> None:
    # The zone's corner is at (-100, -100); the diamond's corners reach past it, its flank does not.
    assert shop.rules(shop.part("diamond", (40, 40, 10), (-83, -83, 5), rotation=(0, 0, 45))) == []
    assert shop.rules(shop.part("diamond", (40, 40, 10), (-87, -87, 5), rotation=(0, 0, 45))) == [
        ("inside_forbid_zone", "diamond")
    ]


def test_contact_is_no_interference_and_a_tenth_of_a_millimetre_is(shop: Shop) -> None:
    base = shop.part("base", (40, 40, 10), (0, 0, 5))
    assert shop.rules(base, shop.part("top", (40, 40, 10), (0, 0, 15))) == []
    (finding,) = shop.judge(base, shop.part("top", (40, 40, 10), (0, 0, 14.9))).findings
    assert (finding.rule, finding.label) == ("interference", "base")
    assert "shares 160.0 mm³ with top around (0.0, 0.0, 9.9) mm" in finding.detail
    assert "move base 0.10 mm along (0.00, 0.00, -1.00) or top along (0.00, 0.00, 1.00)" in finding.detail


def test_up_to_one_cubic_millimetre_counts_as_contact(shop: Shop) -> None:
    base = shop.part("base", (10, 10, 10), (0, 0, 5))
    assert shop.rules(base, shop.part("top", (10, 10, 10), (0, 0, 14.991))) == []
    assert shop.rules(base, shop.part("top", (10, 10, 10), (0, 0, 14.989))) == [("interference", "base")]


def test_cutting_into_the_environment_is_refused(shop: Shop) -> None:
    assert shop.rules(shop.part("bar", (20, 20, 20), (180.5, 0, 10))) == [
        ("outside_build_zone", "bar"),
        ("environment_interference", "bar"),
    ]
    assert shop.rules(shop.part("bar", (20, 20, 20), (180, 0, 10))) == []


def test_rotated_parts_that_overlap_are_found(shop: Shop) -> None:
    first = shop.part("first", (60, 10, 10), (0, 0, 5))
    second = shop.part("second", (60, 10, 10), (0, 0, 5), rotation=(0, 0, 30))
    assert shop.rules(first, second) == [("interference", "first")]


def test_the_payload_needs_its_place(shop: Shop) -> None:
    leg = shop.part("leg", (10, 10, 130), (0, 0, 65))
    assert shop.rules(leg) == []  # the ball's lowest point is at 130 mm: it rests on the leg
    found = shop.rules(shop.part("leg", (10, 10, 130.5), (0, 0, 65.25)))
    assert found == [("interference", "leg")]


def test_a_floating_part_is_told_its_distance_to_what_stands(shop: Shop) -> None:
    leg = shop.part("leg", (10, 10, 50), (0, 0, 25))
    plate = shop.part("plate", (30, 30, 4), (0, 0, 53.2))
    lid = shop.part("lid", (30, 30, 4), (0, 0, 57.2))
    findings = shop.judge(leg, plate, lid).findings
    assert [(finding.rule, finding.label) for finding in findings] == [("floating", "plate"), ("floating", "lid")]
    assert "leg, the nearest body that stands, is 1.20 mm away" in findings[0].detail


def test_a_gap_of_five_hundredths_still_holds(shop: Shop) -> None:
    leg = shop.part("leg", (10, 10, 50), (0, 0, 25.04))
    assert shop.rules(leg) == []
    assert shop.rules(shop.part("leg", (10, 10, 50), (0, 0, 25.06))) == [("floating", "leg")]


def test_a_chain_of_contacts_holds_in_any_order(shop: Shop) -> None:
    chain = [shop.part(f"link_{i}", (10, 10, 10), (10 * i, 0, 5 + 10 * i)) for i in range(5)]
    steps = [shop.part(f"step_{i}", (10, 10, 10), (10 * i + 10, 0, 5 + 10 * i)) for i in range(5)]
    assert shop.rules(*reversed(chain), *steps) == []


def test_the_environment_is_not_for_handing_in(shop: Shop) -> None:
    floor = shop.part("mine", (400, 400, 10), (0, 0, -5))
    assert shop.rules(floor) == [("environment_changed", "mine")]
    assert shop.rules(shop.part("wall", (10, 10, 10), (0, 0, 5))) == [("environment_changed", "wall")]


def test_a_world_that_differs_from_its_digest_is_refused(shop: Shop) -> None:
    good = shop.request(shop.part("leg", (10, 10, 50), (0, 0, 25)))
    shifted = capture_design(Pos(0, 0, -0.02) * Box(400, 400, 10)).parts[0].brep
    forged = good.environment.model_copy(update={"brep": shifted, "solids": good.environment.solids[:1]})
    request = DesignRequest(design=good.design, environment=forged, assignment=good.assignment)
    assert [finding.rule for finding in judge(request).findings] == ["environment_changed"]


def test_price_mass_and_number_of_parts_have_limits(shop: Shop) -> None:
    leg = shop.part("leg", (10, 10, 50), (0, 0, 25))
    foot = shop.part("foot", (30, 30, 5), (50, 0, 2.5))
    assert shop.rules(leg, foot, limits=Limits(max_parts=2, max_mass_kg=0.02, max_unit_price_usd=100)) == []
    assert shop.rules(leg, foot, limits=Limits(max_parts=1)) == [("too_many_parts", "")]
    assert shop.rules(leg, foot, limits=Limits(max_mass_kg=0.01)) == [("over_mass", "leg")]
    assert shop.rules(leg, foot, limits=Limits(max_unit_price_usd=1)) == [("over_price", "leg")]


def test_all_findings_come_at_once(shop: Shop) -> None:
    found = shop.rules(
        shop.part("a", (10, 10, 10), (0, 0, 100), material=None),
        shop.part("b", (10, 10, 10), (0, 5, 100)),
        shop.part("c", (10, 10, 10), (-120, -120, 4)),
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


def test_a_heap_of_sixty_boxes_ends_in_a_readable_list(shop: Shop) -> None:
    heap = [shop.part(f"p{i}", (30, 30, 10), (i % 8 * 12 - 40, i // 8 * 12 - 40, 5)) for i in range(60)]
    assert len(interferences(inspect(shop.request(*heap).design, quantity=1).parts, ())) == 40
