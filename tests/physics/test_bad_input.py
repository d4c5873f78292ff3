"""Designs that cannot be built or simulated: rule, part, position and measured value."""

from math import nan
from typing import Any

import pytest
from build123d import Box, Pos
from cad_worker.jobs.design import scene_of
from contracts.models.scene import MassProperties
from design_rules.design_data import DesignData, PartData
from sim_worker.rejection import SceneRejectedError

from tests.support.solids.large_breps import many_faces
from tests.support.solids.ramp_environment import RampEnvironment, simulate


@pytest.fixture(scope="module")
def ramp() -> RampEnvironment:
    return RampEnvironment.of()


@pytest.mark.parametrize("field", ["mass_kg", "center_mm", "inertia_kg_m2"])
def test_nan_in_mass_properties_is_rejected(ramp: RampEnvironment, field: str) -> None:
    scene = ramp.scene(ramp.part("block", Pos(0, 0, 10) * Box(20, 20, 20)))
    (block,) = (body for body in scene.bodies if body.label == "block")
    assert block.mass is not None
    bad: dict[str, Any] = {"mass_kg": nan, "center_mm": (nan, 0.0, 0.0), "inertia_kg_m2": (nan,) * 6}
    mass = MassProperties.model_construct(_fields_set=None, **{**dict(block.mass), field: bad[field]})
    forged = block.model_copy(update={"mass": mass})
    bodies = tuple(forged if body.label == "block" else body for body in scene.bodies)
    with pytest.raises(SceneRejectedError, match="body block: its mass, centre or inertia is not a finite number"):
        simulate(scene.model_copy(update={"bodies": bodies}))


def test_part_of_a_million_triangles_is_reported(ramp: RampEnvironment) -> None:
    good = ramp.designs.request(ramp.part("scan", Box(10, 10, 10)))
    scan = PartData(
        label="scan", kind="Solid", brep=many_faces(1_000_000), manufacturing_method="cnc", material_id="pom"
    )
    (finding,) = scene_of(good.model_copy(update={"design": DesignData(parts=(scan,))})).findings
    assert (finding.rule, finding.label) == ("not_a_part", "scan")
    assert "1000000 faces at (0.0, 0.0, 0.0) mm" in finding.detail
