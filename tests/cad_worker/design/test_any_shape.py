"""The rules hold for solids of any shape, by their true geometry."""

from math import inf, nan, pi
from struct import pack

import pytest
from build123d import Box, Compound, Cylinder, Pos, Rot, Sphere, Torus
from cad_worker.job_protocol import DesignData, PartData
from cad_worker.jobs.design import judge
from cad_worker.validation.bodies import Part as DesignPart
from cad_worker.validation.rules.manufacturability import inspect
from cad_worker.validation.rules.placement import inside_forbid_zones, on_payload, outside_build_zone
from contracts.models.benchmark import Payload, Variant
from contracts.models.design import Finding
from contracts.models.geometry import Box as Region
from geometry.display_mesh import MAX_FACES

from tests.cad_worker.design.building import build_world
from tests.cad_worker.design.occt_monsters import many_faces
from tests.cad_worker.design.shop import Shop


def parts(shop: Shop, *made: Compound) -> tuple[DesignPart, ...]:
    """Return parts as the rules see them."""
    return inspect(shop.request(*made).design, quantity=100).parts


def bowl() -> Compound:
    """A bowl of 100 mm for the ball of 40 mm, which starts at 150 mm and touches its bottom then."""
    part: Compound = Pos(0, 0, 130) * (Pos(0, 0, 45) * (Sphere(50) - Sphere(45) - Pos(0, 0, 50) * Box(100, 100, 100)))
    return part


def test_a_shape_of_any_kind_is_accepted_with_its_exact_mass_and_surface(shop: Shop) -> None:
    judgement = shop.judge(shop.made("ring", Pos(0, 0, 10) * (Cylinder(30, 20) - Cylinder(20, 20))))
    assert judgement.findings == ()
    assert judgement.scene is not None
    ring = judgement.scene.bodies[-1]
    assert ring.mass is not None
    assert ring.mass.mass_kg == pytest.approx(pi * 500 * 20 * 1240e-9, rel=1e-9)
    assert ring.mass.center_mm == pytest.approx((0, 0, 10))
    assert ring.surface is not None
    assert len(ring.geoms) > 1


def test_a_post_in_a_bore_touches_and_a_thicker_one_interferes(shop: Shop) -> None:
    block = shop.made("block", Pos(0, 0, 10) * (Box(40, 40, 20) - Cylinder(8, 20)))
    assert shop.rules(block, shop.made("post", Pos(0, 0, 20) * Cylinder(8, 40))) == []
    found = shop.finding(block, shop.made("post", Pos(0, 0, 20) * Cylinder(8.1, 40)))
    assert (found.rule, found.label) == ("interference", "block")
    assert f"shares {pi * (8.1**2 - 8**2) * 20:.1f} mm³ with post around (0.0, 0.0, 10.0) mm" in found.detail


def test_a_bowl_may_hold_the_ball_and_not_cut_it(shop: Shop, variant: Variant) -> None:
    assert on_payload(parts(shop, shop.made("bowl", bowl())), variant) == []
    (sunk,) = on_payload(parts(shop, shop.made("bowl", Pos(0, 0, 0.5) * bowl())), variant)
    assert (sunk.rule, sunk.label) == ("interference", "bowl")
    assert "overlaps payload, the ball of 40.00 mm released at (0.0, 0.0, 150.0) mm, by 0.50 mm" in sunk.detail


def test_a_cube_is_told_from_the_ball_around_it(shop: Shop, variant: Variant) -> None:
    cube = Payload(shape="cube", size_mm=40, start_mm=(0, 0, 150), density_kg_m3=1400, friction=0.3)
    boxed = Shop(variant.model_copy(update={"payload": cube}), shop.environment, shop.known)
    pole = shop.made("pole", Pos(21.5, 21.5, 100) * Cylinder(2.5, 200))
    assert ("interference", "pole") in boxed.rules(pole)
    assert shop.rules(pole) == []


def test_a_ring_whose_bounding_box_alone_meets_a_forbid_zone_is_fine(shop: Shop, variant: Variant) -> None:
    # The zone's corner is at (-100, -100): 28.3 and 22.6 mm from the middle of a ring that reaches out 23 mm.
    def findings(x: float) -> list[Finding]:
        return inside_forbid_zones(parts(shop, shop.made("ring", Pos(x, x, 3) * Torus(20, 3))), variant.forbid_zones)

    assert findings(-80) == []
    assert [(finding.rule, finding.label) for finding in findings(-84)] == [("inside_forbid_zone", "ring")]


def test_the_build_zone_is_compared_with_true_extents(shop: Shop, variant: Variant) -> None:
    flush_mm = 40 * 0.5 + 5  # a torus that leans by 30 degrees: far less than the box around its leaning box

    def findings(z: float) -> list[Finding]:
        leaning = Pos(0, 0, z) * (Rot(0, 30, 0) * Torus(40, 5))
        return outside_build_zone(parts(shop, shop.made("ring", leaning)), variant.build_zone)

    assert findings(flush_mm) == []
    (low,) = findings(flush_mm - 0.01)
    assert "z = -0.01 mm, 0.01 mm below" in low.detail


def test_a_copy_of_the_environment_is_known_by_any_shape(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    b = Pos(0, 0, 5) * Cylinder(60, 10)\n"
        "    b.label = 'table'\n    return b\n"
    )
    build = build_world(code, variant)
    assert build.files is not None
    shop = Shop(variant, build.files.geometry, dict(build.computed))
    assert shop.rules(shop.made("mine", Pos(0, 0, 5) * Cylinder(60, 10))) == [("environment_changed", "mine")]
    assert shop.rules(shop.part("leg", (10, 10, 20), (0, 0, 20))) == []
    cut = shop.finding(shop.part("leg", (10, 10, 20), (0, 0, 19)))
    assert cut.rule == "environment_interference"


def test_a_ball_in_the_wall_of_a_tube_is_a_fault_of_the_world(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    t = Cylinder(40, 60) - Cylinder({r}, 60)\n"
        "    b = Pos(0, 0, 150) * t\n    b.label = 'tube'\n    return b\n"
    )
    assert build_world(code.format(r=20), variant).files is not None
    fault = build_world(code.format(r=19.5), variant).fault
    assert fault is not None
    assert fault.reason == "payload_in_wall"
    assert "0.50 mm inside tube" in fault.detail


def test_a_goal_inside_a_ball_of_stone_is_a_fault_of_the_world(variant: Variant) -> None:
    code = (
        "from build123d import *\n\ndef build(variant):\n    b = Pos(140, 140, 40) * Sphere(75)\n    b.label = 'rock'\n"
        "    return b\n"
    )
    fault = build_world(code, variant).fault
    assert fault is not None
    assert (fault.reason, fault.detail.split(";")[0]) == ("zone_conflict", "goal_zone lies wholly inside rock")
    assert not variant.goal_zone.contains(Region(min_mm=(0, 0, 0), max_mm=(1, 1, 1)))


def test_a_part_of_a_million_triangles_is_refused_at_once(shop: Shop) -> None:
    asked = shop.request(shop.part("scan", (10, 10, 10), (0, 0, 5)))
    brep = many_faces(1_000_000)
    part = PartData(label="scan", kind="Solid", brep=brep, manufacturing_method="3d_printing", material_id="pla")
    design = DesignData(parts=(part,))
    (finding,) = judge(asked.model_copy(update={"design": design})).findings
    assert (finding.rule, finding.label) == ("not_a_part", "scan")
    assert f"has 1000000 faces at (0.0, 0.0, 0.0) mm, at most {MAX_FACES} can be judged" in finding.detail


@pytest.mark.parametrize("bad", [nan, inf])
@pytest.mark.parametrize("times", [1, 5, -1])
def test_a_part_with_nan_in_it_is_refused_by_name(shop: Shop, bad: float, times: int) -> None:
    good = shop.request(shop.part("leg", (10, 12, 14), (0, 0, 7)))
    (part,) = good.design.parts
    forged = part.brep.replace(pack("<d", 12.0), pack("<d", bad), times)
    assert forged != part.brep
    broken = DesignData(parts=(part.model_copy(update={"brep": forged}),))
    findings = judge(good.model_copy(update={"design": broken})).findings
    assert {(finding.rule, finding.label) for finding in findings} == {("not_a_part", "leg")}


def test_a_part_at_nan_is_told_what_to_look_for(shop: Shop) -> None:
    good = shop.request(shop.part("leg", (10, 12, 14), (0, 0, 7)))
    (part,) = good.design.parts
    forged = part.brep.replace(pack("<d", 12.0), pack("<d", nan))
    broken = DesignData(parts=(part.model_copy(update={"brep": forged}),))
    (finding,) = judge(good.model_copy(update={"design": broken})).findings
    assert "look for NaN and inf in its numbers" in finding.detail
