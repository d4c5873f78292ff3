"""Machines whose parts, glue or threads do not bear their loads, and honest neighbours of each."""

from typing import Any

import pytest
from build123d import Box, Pos
from cad_worker.jobs.design import scene_of
from contracts.models.benchmark import Payload
from contracts.models.design import Method
from contracts.models.geometry import Box as Bounds
from contracts.models.geometry import Vector
from contracts.models.mechanism import Connection
from contracts.models.scene import Scene
from contracts.models.simulation import SimulationResult
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.designs import Designs
from tests.support.slides import bond

STEEL_KG_M3 = 7850.0
BALL_MM = 87.0
"""A steel ball of 2.7 kg."""
EVERYWHERE = Bounds(min_mm=(-400, -400, -100), max_mm=(400, 400, 900))


def scene_with(designs: Designs, parts: list[Any], bonds: list[Connection]) -> Scene:
    build = scene_of(designs.request(*parts, mechanism=bonds))
    assert build.scene is not None, build.findings
    return build.scene


def result_with_ball_on(scene: Scene, rests_at_mm: Vector) -> SimulationResult:
    """Let the steel ball rest at a point of the machine, which is in the goal, for half a second."""
    x, y, z = rests_at_mm
    payload = Payload(
        shape="ball", size_mm=BALL_MM, start_mm=(x, y, z + BALL_MM / 2 + 0.01), density_kg_m3=STEEL_KG_M3, friction=0.5
    )
    goal = Bounds(min_mm=(x - 50, y - 50, z), max_mm=(x + 50, y + 50, z + 100))
    return result_under(scene, payload, goal, duration_s=1.0, replicas=1)


def result_under(scene: Scene, payload: Payload, goal: Bounds, *, duration_s: float, replicas: int) -> SimulationResult:
    """Let a payload act on a machine, without zones to keep clear of."""
    changes = {
        "payload": payload,
        "goal_zone": goal,
        "bounds": EVERYWHERE,
        "hold_s": 0.5,
        "duration_s": duration_s,
        "forbid_zones": (),
    }
    loaded = Scene.model_validate({**dict(scene), **changes})
    return Simulator(threads=1).simulate(loaded, SimulationSettings(replicas, 0)).result


def overhanging_sheet(designs: Designs, material: str, thickness_mm: float) -> SimulationResult:
    """A sheet on a block, glued over 60 x 60 mm, with the ball 70 mm beyond the block."""
    base = designs.part("base", (60, 60, 40), (-30, 0, 20))
    sheet = designs.part("sheet", (150, 60, thickness_mm), (15, 0, 40 + thickness_mm / 2), material=material)
    scene = scene_with(designs, [base, sheet], [bond("base", "floor"), bond("base", "sheet")])
    return result_with_ball_on(scene, (70, 0, 40 + thickness_mm))


def test_rubber_sheet_that_carries_the_payload_is_refused_as_flexible(designs: Designs) -> None:
    result = overhanging_sheet(designs, "tpu-95a", 3.0)
    assert (result.nominal.ending, result.nominal.culprit) == ("overloaded", "sheet")
    assert "tpu-95a" in result.nominal.cause
    bent = {use.label: use for use in result.parts}["sheet"]
    assert bent.peak_deflection_mm > 30 > bent.max_deflection_mm


def test_thin_sheet_of_plastic_breaks_and_a_thicker_one_holds(designs: Designs) -> None:
    thin = overhanging_sheet(designs, "pla", 3.0)
    assert (thin.nominal.ending, thin.nominal.culprit) == ("overloaded", "sheet")
    assert "pla as made bears 13 MPa" in thin.nominal.cause
    thick = overhanging_sheet(designs, "pla", 8.0)
    assert thick.nominal.ending == "reached_goal", thick.nominal.cause
    (use,) = [use for use in thick.parts if use.label == "sheet"]
    hollow_mm3 = (60 * 8**3 - 0.8 * 57.2 * 5.2**3) / 48  # a shell of 1.4 mm, and 20 % infill
    assert use.peak_stress_mpa == pytest.approx(2.7 * 9.81 * 70 / hollow_mm3, rel=0.1)


def bar_under_a_ball(designs: Designs, material: str, method: Method) -> tuple[float, float]:
    """Return the mass of a bar of 20 x 20 x 150 mm, and its stress in MPa under a ball 70 mm beyond its base."""
    base = designs.part("base", (60, 60, 40), (-30, 0, 20))
    bar = designs.as_part("bar", Pos(15, 0, 50) * Box(150, 20, 20), method=method, material=material)
    scene = scene_with(designs, [base, bar], [bond("base", "floor"), bond("base", "bar")])
    (mass_kg,) = [body.mass.mass_kg for body in scene.bodies if body.label == "bar" and body.mass]
    (use,) = [use for use in result_with_ball_on(scene, (70, 0, 60)).parts if use.label == "bar"]
    return mass_kg, use.peak_stress_mpa


def test_print_weighs_as_much_as_the_shell_and_infill_that_bear_its_load(designs: Designs) -> None:
    """A core of 17.2 x 17.2 mm holds a fifth of the material; the solid bar tells what the load is."""
    printed_kg, printed_mpa = bar_under_a_ball(designs, "pla", "3d_printing")
    _, solid_mpa = bar_under_a_ball(designs, "pc", "cnc")

    shell_mm3, all_mm3 = 1.4 * (4 * 150 * 20 + 2 * 20 * 20), 150 * 20 * 20
    assert printed_kg == pytest.approx(1.24e-6 * (shell_mm3 + 0.2 * (all_mm3 - shell_mm3)))
    hollow = 1 - 0.8 * (17.2 / 20) ** 4
    assert solid_mpa / printed_mpa == pytest.approx(hollow, rel=0.03)


def hollow_column(designs: Designs, material: str, wall_mm: float) -> SimulationResult:
    inside = 60 - 2 * wall_mm
    tube = Pos(0, 0, 74.5) * (Box(60, 60, 149) - Box(inside, inside, 200))
    column = designs.as_part("column", tube, material=material)
    lid = designs.part("lid", (60, 60, 5), (0, 0, 151.5))
    scene = scene_with(designs, [column, lid], [bond("column", "floor"), bond("column", "lid")])
    return result_with_ball_on(scene, (0, 0, 154))


def test_column_with_thin_rubber_walls_buckles_and_one_of_plastic_holds(designs: Designs) -> None:
    """The walls buckle at about 0.06 MPa; the ball stresses them to 0.10."""
    rubber = hollow_column(designs, "tpu-95a", 1.1)
    assert (rubber.nominal.ending, rubber.nominal.culprit) == ("overloaded", "column")
    assert "buckles" in rubber.nominal.cause
    plastic = hollow_column(designs, "pla", 2.0)
    assert plastic.nominal.ending == "reached_goal", plastic.nominal.cause


def table_on_two_posts(designs: Designs, thickness_mm: float) -> SimulationResult:
    posts = [
        designs.part(f"post_{side}", (thickness_mm, thickness_mm, 450), (x, 0, 225))
        for side, x in (("a", -60), ("b", 60))
    ]
    beam = designs.part("beam", (160, 40, 12), (0, 0, 456))
    bonds = [bond(f"post_{side}", other) for side in "ab" for other in ("floor", "beam")]
    return result_with_ball_on(scene_with(designs, [*posts, beam], bonds), (0, 0, 462))


def test_posts_of_seven_millimetres_buckle_and_thicker_ones_hold(designs: Designs) -> None:
    """The glue of 7 x 7 mm holds 147 N; the posts are 450 mm long."""
    thin = table_on_two_posts(designs, 7.0)
    assert thin.nominal.ending == "overloaded"
    assert thin.nominal.culprit.startswith("post")
    thick = table_on_two_posts(designs, 14.0)
    assert thick.nominal.ending == "reached_goal", thick.nominal.cause


@pytest.mark.parametrize("material", ["hdpe", "pom"])
def test_plastic_that_glue_does_not_bond_is_a_finding(designs: Designs, material: str) -> None:
    sheet = designs.part("sheet", (100, 60, 6), (140, 0, 50), method="cnc", material=material)
    finding = designs.finding(sheet, mechanism=[bond("sheet", "wall")])
    assert (finding.rule, finding.label) == ("unbondable", "sheet")
    assert f"of {material}" in finding.detail
    assert "screw" in finding.detail
    other = designs.part("sheet", (100, 60, 6), (140, 0, 50), method="cnc", material="pc")
    assert designs.rules(other, mechanism=[bond("sheet", "wall")]) == []


def test_glued_edge_resists_by_its_thin_side(designs: Designs) -> None:
    """A strip of 200 x 3 mm: 3 MPa x 200 x 3² / 6, an eighth of what a square of its area bears."""
    panel = designs.part("panel", (100, 3, 60), (0, 0, 30))
    (weld,) = scene_with(designs, [panel], [bond("panel", "floor")]).welds
    assert weld.face is not None
    assert weld.max_moment_n_m == pytest.approx(3.0 * 100 * 9 / 6 / 1000)
    assert weld.face.max_moments_n_m[1] == pytest.approx(3.0 * 3 * 100**2 / 6 / 1000)
