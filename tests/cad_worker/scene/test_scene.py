"""Scenes for physics, and exported files."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the type of a shape's children open.

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from build123d import Compound, Pos, import_step
from cad_worker.capture.design import capture_design
from cad_worker.jobs.design import scene_of
from contracts.models.scene import Body, BoxGeom
from design_rules.design_data import DesignRequest

from tests.support.designs import Designs


def box_of(body: Body) -> BoxGeom:
    (geom,) = body.geoms
    assert isinstance(geom, BoxGeom)
    return geom


def test_scene_contains_environment_and_design_with_friction(designs: Designs) -> None:
    scene = scene_of(
        designs.request(
            designs.part("leg", (10, 10, 50), (0, 0, 25)),
            designs.part("block", (20, 20, 20), (60, 0, 10), method="cnc", material="steel-1018"),
        )
    ).scene
    assert scene is not None
    bodies = {body.label: body for body in scene.bodies}
    assert [(body.label, body.origin) for body in scene.bodies] == [
        ("floor", "environment"),
        ("wall", "environment"),
        ("leg", "design"),
        ("block", "design"),
    ]
    assert bodies["leg"].friction == 0.4
    assert bodies["block"].friction == 0.5
    assert box_of(bodies["floor"]).size_mm == pytest.approx((400, 400, 10))
    assert scene.payload == designs.variant.payload


def test_rotated_part_keeps_position_and_rotation(designs: Designs) -> None:
    ramp = designs.part("ramp", (80, 40, 4), (60, 0, 40), rotation=(0, 20, 0))
    scene = scene_of(designs.request(ramp)).scene
    assert scene is not None
    geom = box_of(scene.bodies[-1])
    half = np.radians(20) / 2
    assert geom.center_mm == pytest.approx((60, 0, 40))
    assert geom.size_mm == pytest.approx((80, 40, 4))
    assert geom.quaternion == pytest.approx((np.cos(half), 0, np.sin(half), 0))


def test_preview_of_floating_part_has_scene_and_finding(designs: Designs) -> None:
    build = scene_of(designs.request(designs.part("cloud", (30, 30, 4), (0, 0, 60))))
    assert build.scene is not None
    assert [finding.rule for finding in build.findings] == ["floating"]


def test_preview_with_blocking_finding_has_no_scene(designs: Designs) -> None:
    for part in (
        designs.part("leg", (10, 10, 50), (0, 0, 25), material=None),
        designs.part("leg", (10, 10, 150), (0, 0, 75)),
    ):
        build = scene_of(designs.request(part))
        assert build.scene is None
        assert build.findings


def test_parts_of_nested_assemblies_are_in_world_coordinates(designs: Designs) -> None:
    inner = Pos(0, 0, 10) * Compound(label="inner", children=[designs.part("leg", (10, 10, 50), (5, 0, 15))])
    machine = Pos(20, 0, 0) * Compound(label="machine", children=[inner])
    request = designs.request()
    scene = scene_of(
        DesignRequest(design=capture_design(machine), environment=request.environment, assignment=request.assignment)
    ).scene
    assert scene is not None
    assert box_of(scene.bodies[-1]).center_mm == pytest.approx((25, 0, 25))


def test_step_files_keep_labels_of_copies(designs: Designs, tmp_path: Path) -> None:
    leg = designs.part("leg_0", (10, 10, 50), (0, 0, 25))
    legs = [leg]
    for i in range(1, 4):
        copy = Pos(30 * i, 0, 0) * leg
        copy.label = f"leg_{i}"
        legs.append(copy)
    judgement = designs.judge(*legs)
    assert judgement.findings == ()
    file = tmp_path / "assembly.step"
    file.write_bytes(judgement.step)
    read = import_step(file)
    assert [child.label for child in read.children] == ["leg_0", "leg_1", "leg_2", "leg_3"]
    assert [round(child.center().X) for child in read.children] == [0, 30, 60, 90]
    part = tmp_path / "part.step"
    part.write_bytes(judgement.part_steps["leg_2"])
    assert import_step(part).volume == pytest.approx(5000)


@pytest.mark.parametrize("label", ["Rampe_groß", "斜面", "Опора_№2", "🔩", "A&B_<b>_'c'"])
def test_step_files_keep_labels_of_any_script(designs: Designs, tmp_path: Path, label: str) -> None:
    judgement = designs.judge(designs.part(label, (10, 10, 50), (0, 0, 25)))
    file = tmp_path / "assembly.step"
    file.write_bytes(judgement.step)
    assert judgement.step.isascii()
    assert [child.label for child in import_step(file).children] == [label]


def test_glb_contains_one_closed_mesh_per_part_in_metres(designs: Designs) -> None:
    judgement = designs.judge(
        designs.part("leg", (10, 10, 50), (0, 0, 25)), designs.part("foot", (20, 30, 10), (50, 0, 5), material="petg")
    )
    magic, version, length = struct.unpack("<4sII", judgement.glb[:12])
    size = struct.unpack("<I", judgement.glb[12:16])[0]
    document = json.loads(judgement.glb[20 : 20 + size])
    binary = judgement.glb[28 + size :]
    assert (magic, version, length) == (b"glTF", 2, len(judgement.glb))
    assert document["nodes"][-1]["scale"] == [1e-3] * 3
    assert [node["extras"]["part"] for node in document["nodes"][:-1]] == ["leg", "foot"]
    assert document["accessors"][0]["min"] == [-5, -5, 0]
    assert document["accessors"][0]["max"] == [5, 5, 50]
    for index, expected_mm3 in ((0, 5000), (2, 6000)):
        view = document["bufferViews"][index]
        corners = np.frombuffer(binary, np.float32, view["byteLength"] // 4, view["byteOffset"]).reshape(-1, 3, 3)
        volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        assert volume == pytest.approx(expected_mm3, rel=1e-5)  # positive: all triangles face outwards
