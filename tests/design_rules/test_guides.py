"""What slides has a rail: beside it over its whole travel, parallel to it, and never inside it."""

import pytest
from cad_worker.jobs.design import scene_of
from contracts.models.geometry import Vector
from contracts.models.mechanism import Joint, Range

from tests.support.designs import Designs, MechanismItem
from tests.support.slides import bond


def slide(child: str = "tray", parent: str = "rail", travel_mm: Range | None = (0.0, 80.0), **more: object) -> Joint:
    fields: dict[str, object] = {"anchor_mm": (20.0, 0.0, 20.0), "axis": (0.0, 0.0, 1.0), "kind": "linear"}
    named = {"label": "slide", "parent": parent, "child": child, "travel_range_mm": travel_mm}
    return Joint.model_validate({**fields, **named, **more})


def lifted(
    designs: Designs, joint: Joint, *, rail: Vector = (10, 40, 100), at: Vector = (15, 0, 50), tray_z: float = 10.0
) -> list[str]:
    """Return the details about a tray of 20 mm that is lifted beside a rail, which ends at x = 20."""
    parts = [designs.part("rail", rail, at), designs.part("tray", (30, 30, 20), (36, 0, tray_z))]
    mechanism: list[MechanismItem] = [bond("rail", "floor"), joint]
    findings = designs.judge(*parts, mechanism=mechanism).findings
    assert {(finding.rule, finding.label) for finding in findings} <= {("invalid_joint", "slide")}
    return [finding.detail for finding in findings]


def test_tray_beside_long_rail_is_accepted(designs: Designs) -> None:
    assert lifted(designs, slide()) == []


@pytest.mark.parametrize(("tray_mm", "travel_mm", "moment_n_m"), [(20, 10.0, 4.0), (60, 30.0, 20.0), (60, 70.0, 8.0)])
def test_slide_holds_the_more_moment_the_longer_its_guide_is(
    designs: Designs, tray_mm: float, travel_mm: float, moment_n_m: float
) -> None:
    """Two sleeves of 10 mm that hold 400 N each, at the ends of what lies beside the rail at the end of the travel."""
    rail, tray = (
        designs.part("rail", (10, 40, 100), (15, 0, 50)),
        designs.part("tray", (30, 30, tray_mm), (36, 0, tray_mm / 2)),
    )
    joint = slide(travel_mm=(0.0, travel_mm))
    scene = scene_of(designs.request(rail, tray, mechanism=[bond("rail", "floor"), joint])).scene
    assert scene is not None
    assert scene.joints[0].max_moment_n_m == pytest.approx(moment_n_m)


def test_tray_anchored_at_a_shelf_is_refused(designs: Designs) -> None:
    """The shelf is a plate 12 mm thick above: the tray begins far below it, and would pass through its corner."""
    shelf = designs.part("shelf", (40, 60, 12), (5, 0, 100))
    leg = designs.part("leg", (10, 10, 94), (-5, 0, 47))
    tray = designs.part("tray", (30, 30, 20), (36, 0, 83))
    joint = slide(parent="shelf", travel_mm=(0.0, 60.0), anchor_mm=(25.0, 0.0, 94.0))
    mechanism = [bond("leg", "floor"), bond("leg", "shelf"), joint]
    (found,) = designs.judge(shelf, leg, tray, mechanism=mechanism).findings
    assert (found.rule, found.label) == ("invalid_joint", "slide")
    assert "leaves its guide: at 0 mm of its travel from 0 to 60 mm, tray lies beside shelf over 0" in found.detail


def test_tray_through_the_corner_of_its_partner_is_refused(designs: Designs) -> None:
    block = designs.part("block", (40, 60, 100), (0, 0, 50))
    tray = designs.part("tray", (30, 30, 20), (36, 0, 110))
    joint = slide(parent="block", travel_mm=(-80.0, 0.0), anchor_mm=(20.0, 0.0, 100.0), axis=(0.3, 0.0, 0.91**0.5))
    findings = designs.judge(block, tray, mechanism=[bond("block", "floor"), joint]).findings
    assert ("invalid_joint", "slide") in {(finding.rule, finding.label) for finding in findings}
