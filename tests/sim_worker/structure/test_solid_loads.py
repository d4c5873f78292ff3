"""Contacts on solids are as wide as the solid is thick where they press."""

import numpy as np
import pytest
from sim_worker.structure.part_model import AppliedLoads
from sim_worker.structure.section_loads import PointLoad
from sim_worker.structure.solid_loads import SolidLoads
from strength.models import Load

from tests.sim_worker.scenes import block, machine_scene, solid

BLOCK, SHEET = solid("shelf", (0, 0, 20), (40, 40, 40)), solid("sheet", (50, 0, 38.5), (60, 40, 3))
SHELF = BLOCK.model_copy(update={"geoms": (*BLOCK.geoms, *SHEET.geoms)})


@pytest.mark.parametrize(("x_mm", "thickness_mm"), [(0.0, 40.0), (60.0, 3.0)])
def test_contact_on_a_sheet_beside_a_block_knows_the_thickness_there(x_mm: float, thickness_mm: float) -> None:
    scene = machine_scene(block("floor", (0, 0, -5), (100, 100, 10), "environment"), SHELF)
    ball = PointLoad(np.array([[x_mm, 0.0, 40.0]]), np.array([[0.0, 0.0, -10.0]]), np.zeros((1, 3)), is_contact=True)
    loads = AppliedLoads(np.zeros((1, 0, 6)), {"shelf": [ball]})

    (found,) = SolidLoads(scene, ()).at("shelf", loads, 2.0)

    assert isinstance(found, Load)
    assert found.thickness_mm == pytest.approx(thickness_mm)
