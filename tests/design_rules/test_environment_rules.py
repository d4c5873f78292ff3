"""environment.py is untrusted: its solids are checked before a run starts."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the type of a shape's children open.

import numpy as np
import pytest
from build123d import Compound
from cad_worker.capture.design import capture_design
from cad_worker.jobs.environment import load_environment
from contracts.models.benchmark import Variant, Zone
from contracts.models.geometry import Box
from design_rules.design_data import EnvironmentGeometry

from tests.support.designs import Designs
from tests.support.environment_build import build_from_script

HEAD = "from build123d import *\n\ndef build(variant):\n"
FLOOR = HEAD + "    floor = Pos(0, 0, -5) * Box(400, 400, 10)\n    floor.label = 'floor'\n"


def fault(code: str, variant: Variant) -> tuple[str, str]:
    build = build_from_script(code, variant)
    assert build.files is None
    assert build.fault is not None
    return build.fault.reason, build.fault.detail


def test_environment_survives_export_and_loading(designs: Designs, environment: EnvironmentGeometry) -> None:
    world = load_environment(environment)
    assert [child.label for child in world.children] == ["floor", "wall"]
    assert world.volume == pytest.approx(400 * 400 * 10 + 10 * 400 * 100)
    assert [solid.label for solid in environment.solids] == ["floor", "wall"]
    assert environment.solids[1].box == Box(min_mm=(190, -200, 0), max_mm=(200, 200, 100))
    assert len(capture_design(world).parts) == 2


def test_same_script_gives_same_digest_and_glb(designs: Designs, variant: Variant) -> None:
    code = FLOOR + "    return Compound(children=[floor])\n"
    first, second = (build_from_script(code, variant).files for _ in range(2))
    assert first is not None
    assert second is not None
    assert first.geometry.digest == second.geometry.digest
    assert first.glb == second.glb


def test_script_receives_variant(variant: Variant) -> None:
    code = HEAD + "    raise ValueError(f'{variant.benchmark} {variant.seed}')\n"
    reason, detail = fault(code, variant)
    assert reason == "code_failed"
    assert "line 4" in detail
    assert "ValueError: test-world 0" in detail


@pytest.mark.parametrize(
    ("code", "reason", "value"),
    [
        ("def build(variant:\n", "code_failed", "line 1"),
        ("x = 1\ny = x / 0\n", "code_failed", "line 2 of environment.py: ZeroDivisionError"),
        ("import sys\nsys.exit(3)\n", "code_failed", "SystemExit"),
        ("x = 1\n", "code_failed", "must define build(variant)"),
        (HEAD + "    return Box(-1, 0, 0)\n", "code_failed", "line 4"),
        (HEAD + "    return 7\n", "not_build123d", "a int is not a build123d shape"),
        (HEAD + "    return Compound(children=[])\n", "not_build123d", "nothing solid"),
        (HEAD + "    return Compound(children=[Box(1, 1, 1)])\n", "not_build123d", "needs a label"),
        (FLOOR + "    return Compound(children=[floor, Pos(50) * floor])\n", "not_build123d", "more than one solid"),
        (HEAD + "    b = Cylinder(5, 5).faces()[0]\n    b.label = 'disc'\n    return b\n", "not_build123d", "0 solids"),
        (FLOOR + "    return Pos(0, 0, -96) * floor\n", "outside_bounds", "floor"),
        (FLOOR + "    return Pos(0, 0, 131) * floor\n", "payload_in_wall", "1.00 mm inside floor"),
        (
            HEAD + "    b = Pos(140, 140, 40) * Box(80, 80, 80)\n    b.label = 'cube'\n    return b\n",
            "zone_conflict",
            "goal_zone",
        ),
    ],
)
def test_faulty_environment_has_reason_and_value(variant: Variant, code: str, reason: str, value: str) -> None:
    found, detail = fault(code, variant)
    assert found == reason
    assert value in detail


def test_payload_may_touch_but_not_overlap_a_solid(variant: Variant) -> None:
    code = FLOOR + "    return Pos(0, 0, {z}) * floor\n"
    assert build_from_script(code.format(z=130), variant).files is not None
    assert fault(code.format(z=130.01), variant)[0] == "payload_in_wall"


def test_payload_may_start_in_a_zone_that_binds_parts_only(variant: Variant) -> None:
    zone = Zone(label="fire", box=Box(min_mm=(-50, -50, 100), max_mm=(50, 50, 200)), binds="parts")
    code = FLOOR + "    return Compound(children=[floor])\n"
    assert build_from_script(code, variant.model_copy(update={"forbid_zones": (zone,)})).files is not None


def test_payload_in_forbid_zone_is_a_fault(variant: Variant) -> None:
    zone = Zone(label="fire", box=Box(min_mm=(20, -50, 100), max_mm=(60, 50, 200)))
    hot = variant.model_copy(update={"forbid_zones": (zone,)})
    reason, detail = fault(FLOOR + "    return floor\n", hot)
    assert reason == "zone_conflict"
    assert "forbid zone fire" in detail


def test_solids_sharing_a_shape_keep_labels_and_positions(variant: Variant) -> None:
    code = (
        HEAD + "    import copy\n    b = Box(10, 10, 10)\n    solids = [Pos(30 * i) * copy.copy(b) for i in range(4)]\n"
        "    for i, solid in enumerate(solids):\n        solid.label = f's{i}'\n"
        "    return Pos(0, 0, 40) * Compound(children=solids)\n"
    )
    files = build_from_script(code, variant).files
    assert files is not None
    centers = np.array([solid.box.center_mm for solid in files.geometry.solids])
    assert np.allclose(centers, [(30 * i, 0, 40) for i in range(4)])
    assert isinstance(load_environment(files.geometry), Compound)


def test_fixed_solids_that_overlap_are_refused_with_volume_and_place(variant: Variant) -> None:
    code = (
        FLOOR + "    wall = Pos(0, 50, {z}) * Box(100, 10, 40)\n    wall.label = 'wall'\n"
        "    return Compound(children=[floor, wall])\n"
    )
    assert build_from_script(code.format(z=20), variant).files is not None
    reason, detail = fault(code.format(z=18), variant)
    assert reason == "solids_overlap"
    assert "floor overlaps wall by 2000.0 mm³ around (0.0, 50.0, -1.0) mm" in detail
    assert "join both to one solid" in detail


def test_built_environment_has_a_scene_of_itself_and_the_payload(variant: Variant) -> None:
    limited = variant.model_copy(update={"supply_limit_w": 12.0})
    files = build_from_script(FLOOR + "    return floor\n", limited).files
    assert files is not None
    assert [(body.label, body.origin, body.mass) for body in files.scene.bodies] == [("floor", "environment", None)]
    assert (files.scene.payload, files.scene.goal_zone) == (variant.payload, variant.goal_zone)
    assert files.scene.supply_limit_w == 12.0
