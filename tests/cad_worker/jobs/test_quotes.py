"""Quotes of components: mass and price in closed form, limits, and the report for agents."""

import pytest
from build123d import Box, Compound
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import NotADesignError, Quote, QuoteRequest
from cad_worker.jobs.design import quote
from contracts.models.benchmark import Assignment, Limits
from documents.quote import prices_by_label, pricing_markdown

from tests.support.designs import Designs

NO_LIMITS = Limits()


def quoted(designs: Designs, component: object, limits: Limits = NO_LIMITS) -> Quote:
    assignment = Assignment(variant=designs.variant, limits=limits, quantity=100)
    return quote(QuoteRequest(component=capture_design(component), assignment=assignment))


def test_single_part_price_matches_hand_calculation(designs: Designs) -> None:
    found = quoted(designs, designs.part("leg", (10, 20, 50), (0, 0, 500)))
    assert found.findings == ()
    assert found.bill is not None
    (line,) = found.bill.lines
    assert line.volume_mm3 == pytest.approx(10_000)
    laid_cm3 = 4.76 + 0.2 * (10 - 4.76)  # 34 cm2 of shell, 1.4 mm thick, and a fifth of the rest
    assert line.mass_kg == pytest.approx(laid_cm3 * 1.24e-3)
    # 10 min to start, 0.76 min for each of 14 cm2 of upright walls, lying flat, and 2.4 min for each cm3
    hours = (10 + 0.76 * 14 + 2.4 * laid_cm3) / 60
    # 1.5 x (material at 25 USD/kg and time at 4 USD/h, both with 8 % scrap, 1 USD of handling and 5 USD / 100)
    assert line.unit_price_usd == pytest.approx(1.5 * ((laid_cm3 * 1.24e-3 * 25 + hours * 4) * 1.08 + 1 + 0.05))
    assert prices_by_label(found.bill) == {"leg": line.unit_price_usd}


def test_bill_is_sum_of_its_lines(designs: Designs) -> None:
    parts = [designs.part(f"p{i}", (10, 10, 10 * (i + 1)), (0, 0, 0)) for i in range(3)]
    bill = quoted(designs, Compound(label="three", children=parts)).bill
    assert bill is not None
    assert [line.label for line in bill.lines] == ["p0", "p1", "p2"]
    shells_mm3, all_mm3 = 1.4 * (600 + 1000 + 1400), 6000
    assert bill.mass_kg == pytest.approx((shells_mm3 + 0.2 * (all_mm3 - shells_mm3)) * 1.24e-6)
    assert bill.unit_price_usd == pytest.approx(sum(line.unit_price_usd for line in bill.lines))


def test_part_without_material_has_report_without_price(designs: Designs) -> None:
    found = quoted(designs, designs.part("leg", (10, 20, 50), (0, 0, 0), material=None))
    assert found.bill is None
    text = pricing_markdown(found.findings, found.bill, Limits())
    assert "**missing_material** `leg`" in text
    assert "No price" in text


def test_report_shows_sums_and_limits(designs: Designs) -> None:
    limits = Limits(max_unit_price_usd=1, max_mass_kg=0.5, max_parts=3)
    found = quoted(designs, designs.part("leg", (10, 20, 50), (0, 0, 0)), limits)
    text = pricing_markdown(found.findings, found.bill, limits)
    assert "| leg | 3d_printing | pla | 10.0 x 20.0 x 50.0 | 7.2 |" in text
    assert "- parts: 1 (limit 3)" in text
    assert "- mass: 7.2 g (limit 500.0 g)" in text
    assert "(limit 1.00 USD)" in text
    assert [finding.rule for finding in found.findings] == ["over_price"]


def test_material_key_with_hyphen_is_accepted(designs: Designs) -> None:
    part = Box(10, 10, 10)
    part.label = "block"
    vars(part)["metadata"] = {"manufacturing_method": "cnc", "material-id": "aluminum-6061"}
    assert quoted(designs, part).findings == ()


def test_list_is_not_a_design() -> None:
    with pytest.raises(NotADesignError, match="a list is not a build123d shape"):
        capture_design([Box(1, 1, 1)])


@pytest.mark.parametrize(("limit", "rule"), [("max_unit_price_usd", "over_price"), ("max_mass_kg", "over_mass")])
def test_one_per_cent_over_a_limit_is_reported(designs: Designs, limit: str, rule: str) -> None:
    leg = designs.part("leg", (10, 20, 50), (0, 0, 0))
    bill = quoted(designs, leg).bill
    assert bill is not None
    measured = bill.unit_price_usd if rule == "over_price" else bill.mass_kg
    just_enough, too_little = (Limits.model_validate({limit: measured * share}) for share in (1.0001, 1 / 1.01))
    assert quoted(designs, leg, just_enough).findings == ()
    (finding,) = quoted(designs, leg, too_little).findings
    assert (finding.rule, finding.severity) == (rule, "error")
    value = f"{measured:.2f} USD" if rule == "over_price" else f"{measured * 1000:.1f} g"
    assert value in finding.detail
