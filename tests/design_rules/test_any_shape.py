"""The rules compare exact geometry, for solids of any shape."""

from math import inf, nan, pi
from struct import pack

import pytest
from build123d import Box, Compound, Cylinder, Pos, Rot, Sphere, Torus
from cad_worker.jobs.design import judge
from contracts.models.benchmark import Payload, Variant
from contracts.models.design import Finding
from contracts.models.geometry import Box as Region
from design_rules.bodies.solid_bodies import Part as DesignPart
from design_rules.design_data import DesignData, PartData
from design_rules.rules.manufacturability import inspect
from design_rules.rules.placement import inside_forbid_zones, on_payload, outside_build_zone
from geometry.display_mesh import MAX_FACES
from parts_catalog.pricing.print_prices import filled_mm3

from tests.support.designs import Designs
from tests.support.environment_build import build_from_script
from tests.support.solids.large_breps import many_faces


def parts(designs: Designs, *made: Compound) -> tuple[DesignPart, ...]:

    return inspect(designs.request(*made).design, quantity=100).parts


def bowl() -> Compound:
    """A bowl of 100 mm for the ball of 40 mm, which starts at 150 mm and touches its bottom then."""
    part: Compound = Pos(0, 0, 130) * (Pos(0, 0, 45) * (Sphere(50) - Sphere(45) - Pos(0, 0, 50) * Box(100, 100, 100)))
    return part


def test_ring_is_accepted_with_exact_mass_and_surface(designs: Designs) -> None:
    judgement = designs.judge(designs.as_part("ring", Pos(0, 0, 10) * (Cylinder(30, 20) - Cylinder(20, 20))))
    assert judgement.findings == ()
    assert judgement.scene is not None
    ring = judgement.scene.bodies[-1]
    assert ring.mass is not None
    assert ring.mass.mass_kg == pytest.approx(filled_mm3(pi * 500 * 20, pi * 3000, 1.4, 0.2) * 1.24e-6, rel=1e-9)
    assert ring.mass.center_mm == pytest.approx((0, 0, 10))
    assert ring.surface is not None
    assert len(ring.geoms) > 1


def test_post_in_bore_touches_and_thicker_one_interferes(designs: Designs) -> None:
    block = designs.as_part("block", Pos(0, 0, 10) * (Box(40, 40, 20) - Cylinder(8, 20)))
    assert designs.rules(block, designs.as_part("post", Pos(0, 0, 20) * Cylinder(8, 40))) == []
    found = designs.finding(block, designs.as_part("post", Pos(0, 0, 20) * Cylinder(8.1, 40)))
    assert (found.rule, found.label) == ("interference", "block")
    assert f"{pi * (8.1**2 - 8**2) * 20:.1f} mm³ around (0.0, 0.0, 10.0) mm" in found.detail


def test_bowl_may_touch_but_not_overlap_payload(designs: Designs, variant: Variant) -> None:
    assert on_payload(parts(designs, designs.as_part("bowl", bowl())), variant) == []
    (sunk,) = on_payload(parts(designs, designs.as_part("bowl", Pos(0, 0, 0.5) * bowl())), variant)
    assert (sunk.rule, sunk.label) == ("interference", "bowl")
    assert "0.50 mm" in sunk.detail


def test_cube_payload_is_compared_by_exact_shape(designs: Designs, variant: Variant) -> None:
    cube = Payload(shape="cube", size_mm=40, start_mm=(0, 0, 150), density_kg_m3=1400, friction=0.3)
    boxed = Designs(variant.model_copy(update={"payload": cube}), designs.environment, designs.known)
    pole = designs.as_part("pole", Pos(21.5, 21.5, 100) * Cylinder(2.5, 200))
    assert ("interference", "pole") in boxed.rules(pole)
    assert designs.rules(pole) == []


def test_forbid_zone_is_compared_with_exact_shape(designs: Designs, variant: Variant) -> None:
    # The zone's corner is at (-100, -100): 28.3 and 22.6 mm from the middle of a ring that reaches out 23 mm.
    def findings(x: float) -> list[Finding]:
        return inside_forbid_zones(
            parts(designs, designs.as_part("ring", Pos(x, x, 3) * Torus(20, 3))), variant.forbid_zones
        )

    assert findings(-80) == []
    assert [(finding.rule, finding.label) for finding in findings(-84)] == [("inside_forbid_zone", "ring")]


def test_build_zone_is_compared_with_exact_extents(designs: Designs, variant: Variant) -> None:
    flush_mm = 40 * 0.5 + 5  # a torus that leans by 30 degrees: far less than the box around its leaning box

    def findings(z: float) -> list[Finding]:
        leaning = Pos(0, 0, z) * (Rot(0, 30, 0) * Torus(40, 5))
        return outside_build_zone(parts(designs, designs.as_part("ring", leaning)), variant.build_zone)

    assert findings(flush_mm) == []
    (low,) = findings(flush_mm - 0.01)
    assert "z = -0.01 mm, 0.01 mm " in low.detail


def test_copy_of_environment_cylinder_is_found(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    b = Pos(0, 0, 5) * Cylinder(60, 10)\n"
        "    b.label = 'table'\n    return b\n"
    )
    build = build_from_script(code, variant)
    assert build.files is not None
    designs = Designs(variant, build.files.geometry, dict(build.computed))
    assert designs.rules(designs.as_part("mine", Pos(0, 0, 5) * Cylinder(60, 10))) == [("environment_changed", "mine")]
    assert designs.rules(designs.part("leg", (10, 10, 20), (0, 0, 20))) == []
    cut = designs.finding(designs.part("leg", (10, 10, 20), (0, 0, 19)))
    assert cut.rule == "environment_interference"


def test_payload_in_tube_wall_is_environment_fault(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    t = Cylinder(40, 60) - Cylinder({r}, 60)\n"
        "    b = Pos(0, 0, 150) * t\n    b.label = 'tube'\n    return b\n"
    )
    assert build_from_script(code.format(r=20), variant).files is not None
    fault = build_from_script(code.format(r=19.5), variant).fault
    assert fault is not None
    assert fault.reason == "payload_in_wall"
    assert "0.50 mm inside tube" in fault.detail


def test_goal_inside_solid_ball_is_environment_fault(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    b = Pos(140, 140, 40) * Sphere(75)\n    b.label = 'rock'\n"
        "    return b\n"
    )
    fault = build_from_script(code, variant).fault
    assert fault is not None
    assert fault.reason == "zone_conflict"
    assert "inside rock" in fault.detail
    assert not variant.goal_zone.contains(Region(min_mm=(0, 0, 0), max_mm=(1, 1, 1)))


def test_part_of_a_million_triangles_is_not_a_part(designs: Designs) -> None:
    request = designs.request(designs.part("scan", (10, 10, 10), (0, 0, 5)))
    brep = many_faces(1_000_000)
    part = PartData(label="scan", kind="Solid", brep=brep, manufacturing_method="3d_printing", material_id="pla")
    design = DesignData(parts=(part,))
    (finding,) = judge(request.model_copy(update={"design": design})).findings
    assert (finding.rule, finding.label) == ("not_a_part", "scan")
    assert f"1000000 faces at (0.0, 0.0, 0.0) mm, at most {MAX_FACES} " in finding.detail


@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("times", [1, 5, -1])
def test_part_with_nan_coordinates_is_not_a_part(designs: Designs, bad: float, times: int) -> None:
    good = designs.request(designs.part("leg", (10, 12, 14), (0, 0, 7)))
    (part,) = good.design.parts
    forged = part.brep.replace(pack("<d", 12.0), pack("<d", bad), times)
    assert forged != part.brep
    broken = DesignData(parts=(part.model_copy(update={"brep": forged}),))
    findings = judge(good.model_copy(update={"design": broken})).findings
    assert {(finding.rule, finding.label) for finding in findings} == {("not_a_part", "leg")}


def test_nan_finding_names_nan_and_inf(designs: Designs) -> None:
    good = designs.request(designs.part("leg", (10, 12, 14), (0, 0, 7)))
    (part,) = good.design.parts
    forged = part.brep.replace(pack("<d", 12.0), pack("<d", nan))
    broken = DesignData(parts=(part.model_copy(update={"brep": forged}),))
    (finding,) = judge(good.model_copy(update={"design": broken})).findings
    assert "NaN and inf" in finding.detail
