"""Units are kept through the scene, through STEP files, and in the simulator's masses."""

from pathlib import Path

import pytest
from build123d import (
    Box,
    Pos,
    import_step,  # pyright: ignore[reportUnknownVariableType] - PathLike of anything
)

from tests.support.solids.ramp_environment import RampEnvironment, ball, bonded, box, simulate


def shelf_environment() -> RampEnvironment:
    return RampEnvironment.of(payload=ball((-268, 0, 200)), goal_zone=box((-290, -20, 150), (-250, 20, 200)))


def test_payload_and_pom_part_have_exact_mass() -> None:
    run = shelf_environment().run(shelf_environment().part("cube", Pos(0, 0, 20) * Box(40, 40, 40), material="pom"))
    model = run.world.model
    assert float(model.body("payload").mass[0]) == pytest.approx(0.047, rel=0.01)
    assert float(model.body("design:cube").mass[0]) == pytest.approx(0.064 * 1.41, rel=0.01)


def test_design_and_its_step_file_get_same_scene_and_verdict(tmp_path: Path) -> None:
    ramp = shelf_environment()
    plate = ramp.part("shelf", Pos(-270, 0, 150) * Box(60, 60, 6) - Pos(-268, 0, 153) * Box(44, 44, 3))
    glued = [bonded("shelf", "wall")]
    verdict = ramp.judge(plate, mechanism=glued)
    assert verdict.scene is not None
    assert verdict.part_steps is not None
    file = tmp_path / "shelf.step"
    file.write_bytes(verdict.part_steps["shelf"])
    again = ramp.scene(ramp.part("shelf", import_step(file).solids()[0]), mechanism=glued)
    ours, theirs = (next(body for body in scene.bodies if body.label == "shelf") for scene in (verdict.scene, again))
    assert ours.mass is not None
    assert theirs.mass is not None
    assert theirs.mass.mass_kg == pytest.approx(ours.mass.mass_kg, rel=1e-9)
    assert theirs.mass.center_mm == pytest.approx(ours.mass.center_mm, abs=1e-6)
    first, second = simulate(verdict.scene).result, simulate(again).result
    assert (first.verdict, second.verdict) == ("solved", "solved")
    assert second.nominal.time_s == pytest.approx(first.nominal.time_s, abs=0.02)
    assert second.nominal.final_mm == pytest.approx(first.nominal.final_mm, abs=0.3)
