"""The bill of materials: counts, prices and masses of made and bought parts."""

from collections import Counter

import pytest
from build123d import Axis, Compound, Part, Pos, RevoluteJoint, RigidJoint
from cad_worker.capture.design import capture_design
from cad_worker.job_protocol import Quote, QuoteRequest
from cad_worker.jobs.design import quote
from catalog_shapes.bought_parts import bought_part
from contracts.models.benchmark import Assignment, Limits, PowerOwner
from contracts.models.design import BillOfMaterials
from contracts.models.mechanism import Connection, Positions
from documents.quote import prices_by_label, pricing_markdown
from kernel.api.mechanism_api import bonded, carried, drive, fastened
from parts_catalog.adhesive import ADHESIVE
from parts_catalog.hardware import bearing, fastener, motor
from parts_catalog.parts import parts as catalog_parts
from parts_catalog.quantity_prices import unit_price_usd

from tests.support.designs import Designs

SCREW = "iso4762-m4x16"


def quoted(
    designs: Designs,
    parts: list[Part],
    declarations: list[object],
    limits: Limits | None = None,
    power: PowerOwner = "bench",
) -> Quote:
    assembly = Compound(label="machine", children=parts)
    vars(assembly)["metadata"] = {"mechanism": declarations}
    assignment = Assignment(
        variant=designs.variant.model_copy(update={"power": power}), limits=limits or Limits(), quantity=100
    )
    return quote(QuoteRequest(component=capture_design(assembly), assignment=assignment))


def price_usd(part_id: str, pieces: int) -> float:
    return unit_price_usd(catalog_parts()[part_id], pieces)


def crane(designs: Designs) -> list[Part]:
    """Return a base with a turning arm, and a motor."""
    base, arm = designs.part("base", (40, 40, 10), (0, 0, 5)), designs.part("arm", (60, 8, 8), (0, 0, 30))
    hinge = RevoluteJoint("hinge", base, Axis((0, 0, 10), (0, 0, 1)))
    hinge.connect_to(RigidJoint("pin", arm, Pos(0, 0, 24)), angle=0)
    servo: Part = Pos(60, 0, 60) * bought_part("mg996r")
    servo.label = "servo"
    return [base, arm, servo]


def bill_of_crane(designs: Designs, *declarations: object) -> BillOfMaterials:
    screws = fastened("servo", "base", SCREW, at=[(50, 0, 20), (70, 0, 20)])
    found = quoted(designs, crane(designs), [screws, *declarations])
    assert found.bill is not None, found.findings
    return found.bill


def test_each_kind_of_hardware_has_a_line(designs: Designs) -> None:
    glue = (bonded("base", "floor"), bonded("servo", "base"), bonded("base", "servo"))  # the last is the same bond
    bill = bill_of_crane(designs, *glue)
    assert {line.catalog_id: line.count for line in bill.hardware} == {
        "mg996r": 1,
        SCREW: 2,
        "plain-revolute": 1,
        ADHESIVE.id: 2,
    }


def test_glue_is_priced_by_its_area(designs: Designs) -> None:
    slabs = [designs.part(label, (600, 550, 10), (0, 0, z)) for label, z in (("low", 5), ("high", 15))]
    bill = quoted(designs, slabs, [bonded("low", "high")]).bill
    assert bill is not None
    (glue,) = bill.hardware
    assert glue.unit_price_usd == pytest.approx(ADHESIVE.price_usd + 3300 * ADHESIVE.price_usd_per_cm2, rel=0.001)
    assert glue.mass_kg == pytest.approx(3300 * ADHESIVE.mass_kg_per_cm2, rel=0.001)


def test_glue_to_the_environment_is_priced_by_its_area_in_the_verdict_and_assumed_in_a_quote(designs: Designs) -> None:
    foot = designs.part("foot", (40, 30, 10), (0, 0, 5))
    verdict = designs.judge(foot, mechanism=[Connection(first="foot", second="floor", means="bonded")]).bill
    alone = quoted(designs, [foot], [bonded("foot", "floor")]).bill
    assert verdict is not None
    assert alone is not None
    assert verdict.hardware[0].unit_price_usd == pytest.approx(ADHESIVE.price_usd + 12 * ADHESIVE.price_usd_per_cm2)
    assert "of 1 of them 4 cm² assumed" in alone.hardware[0].what


def test_sums_are_those_of_parts_and_catalog(designs: Designs) -> None:
    bill = bill_of_crane(designs)
    assert [line.label for line in bill.lines] == ["base", "arm"]
    made_kg, made_usd = sum(line.mass_kg for line in bill.lines), sum(line.unit_price_usd for line in bill.lines)
    servo, screw, sleeve = motor("mg996r"), fastener(SCREW), bearing("plain-revolute")
    assert bill.mass_kg == pytest.approx(made_kg + servo.mass_kg + 2 * screw.mass_kg + sleeve.mass_kg)
    bought_usd = price_usd(servo.id, 100) + 2 * price_usd(screw.id, 200) + price_usd(sleeve.id, 100)
    assert bill.unit_price_usd == pytest.approx(made_usd + bought_usd)
    assert sum(prices_by_label(bill).values()) == pytest.approx(bill.unit_price_usd)
    assert prices_by_label(bill)[SCREW] == pytest.approx(2 * price_usd(screw.id, 200))
    assert price_usd(screw.id, 200) < screw.price_usd


def test_named_bearing_replaces_plain_one(designs: Designs) -> None:
    bought = {line.catalog_id for line in bill_of_crane(designs, carried("hinge", "608zz")).hardware}
    assert "608zz" in bought
    assert "plain-revolute" not in bought


def test_report_lists_hardware_and_counts_motors_as_parts(designs: Designs) -> None:
    bill = bill_of_crane(designs)
    text = pricing_markdown((), bill, Limits(max_parts=9))
    assert "| mg996r | servo MG996R, 6 V | 1 | 55.0 | 10.20 |" in text
    assert f"| {SCREW} | socket head cap screw ISO 4762 M4x16 8.8 | 2 | 4.4 | 0.13 |" in text
    assert "- parts: 3 (limit 9)" in text


def test_single_motor_has_price_and_exceeds_limits(designs: Designs) -> None:
    found = quoted(designs, [bought_part("pololu-37d-50")], [], Limits(max_unit_price_usd=20, max_mass_kg=0.1))
    assert found.bill is not None
    assert prices_by_label(found.bill) == {"pololu-37d-50": price_usd("pololu-37d-50", 100)}
    assert [(each.rule, each.label) for each in found.findings] == [
        ("over_price", "pololu-37d-50"),
        ("over_mass", "pololu-37d-50"),
    ]
    assert "| part |" not in pricing_markdown(found.findings, found.bill, Limits())


def test_power_and_control_are_on_the_bill_and_paid_by_who_owns_them(designs: Designs) -> None:
    """Of one servo, by hand at 100 pieces: adapter 6 V, Pico and switch, 0.85 of 11, 5 and 1.50 USD; wire and
    connectors."""
    turn = drive("servo", joint="hinge", control=Positions(times_s=(1.0,), targets=(90.0,)))
    limits = Limits(max_unit_price_usd=quoted(designs, crane(designs), [turn]).bill.unit_price_usd + 1)  # pyright: ignore[reportOptionalMemberAccess]
    bench, machine = (quoted(designs, crane(designs), [turn], limits, power=owner) for owner in ("bench", "machine"))
    assert bench.bill is not None
    assert machine.bill is not None
    supplied = {line.catalog_id: line for line in bench.bill.supplied}
    assert supplied.keys() == {
        "psu-6v5a", "ctl-pico", "sw-toggle", "wire-0.25", "con-lever", "con-socket",
    }  # fmt: skip
    bought_usd = sum(supplied[each].unit_price_usd for each in ("psu-6v5a", "ctl-pico", "sw-toggle"))
    assert bought_usd == pytest.approx(0.85 * (11 + 5 + 1.5))
    assert machine.bill.unit_price_usd == pytest.approx(bench.bill.unit_price_usd + bench.bill.supplied_usd)
    assert machine.bill.mass_kg == pytest.approx(bench.bill.mass_kg), "the boards lie beside the machine"
    assert not machine.bill.supplied
    assert {*supplied} <= {line.catalog_id for line in machine.bill.hardware}
    assert "over_price" in {each.rule for each in machine.findings} - {each.rule for each in bench.findings}


def test_unknown_catalog_id_has_no_bill(designs: Designs) -> None:
    parts = crane(designs)
    vars(parts[2])["metadata"] = {"catalog_id": "mg997"}
    assert quoted(designs, parts, []).bill is None


def test_catalog_parts_have_price_and_mass_of_their_rows(designs: Designs) -> None:
    ids = {"brg-625": 2, "gear-m1-z20": 1, "gm37d-12v-50": 1}
    parts: list[Part] = [designs.part("base", (40, 40, 10), (0, 0, 5))]
    for place, part_id in enumerate(Counter(ids).elements()):
        part: Part = Pos(80 * (place + 1), 0, 60) * bought_part(part_id)
        part.label = f"bought-{place}"
        parts.append(part)
    bill = quoted(designs, parts, []).bill
    assert bill is not None
    assert {line.catalog_id: (line.count, line.is_part) for line in bill.hardware} == {
        part_id: (count, True) for part_id, count in ids.items()
    }
    for line in bill.hardware:
        row = catalog_parts()[line.catalog_id]
        assert (line.mass_kg, line.what) == (row.mass_kg, row.name)
        assert line.unit_price_usd == price_usd(row.id, 100 * line.count)
