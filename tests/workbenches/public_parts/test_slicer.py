"""Filament and time of public parts against a slicer's estimates; `README.md` has the settings and the source."""

import re

import numpy as np
import pytest
from build123d import Box
from parts_catalog.methods.workshop_figures import FILAMENT_RATES, FILAMENT_RULES
from parts_catalog.pricing.print_prices import PrintJob, filament_price
from workbenches.part_mesh import PartMesh
from workbenches.printing.orientation import best_orientation, orientation_of

from tests.workbenches.parts_and_orders import order
from tests.workbenches.public_parts.test_price_lists import mesh_of

WITHIN_FILAMENT, WITHIN_TIME = 0.15, 0.2
SLICED = (
    ("plate", "best", 6.9, 36),
    ("motor-holder", "best", 16.7, 129),
    ("motor-holder", "drawn", 24.3, 159),
    ("handle", "best", 25.2, 131),
    ("plug-camera", "best", 24.2, 153),
    ("upper-arm", "drawn", 83.7, 475),
    ("base", "drawn", 93.2, 655),
    ("cube", "best", 22.9, 104),
)


@pytest.mark.sample(3)
@pytest.mark.parametrize(("name", "way_up", "filament_cm3", "minutes"), SLICED)
def test_print_takes_the_filament_and_time_of_a_slicer(
    name: str, way_up: str, filament_cm3: float, minutes: float
) -> None:
    mesh = PartMesh.of(Box(40, 40, 40).solid()) if name == "cube" else mesh_of(name)
    up = np.array([0.0, 0.0, 1.0])
    low, high = mesh.range_mm(up)
    placed = (
        best_orientation(mesh, FILAMENT_RULES)  # pyright: ignore[reportArgumentType] - frozen models are hashable
        if way_up == "best"
        else orientation_of(mesh, up, high - low, FILAMENT_RULES)
    )
    job = PrintJob(
        volume_mm3=mesh.volume_mm3,
        area_mm2=mesh.area_mm2,
        support_mm3=placed.support_mm3,
        overhang_mm2=placed.overhang_mm2,
        upright_mm2=placed.upright_mm2,
        box_mm=(1, 1, 1),
        usd_per_h=4.0,
    )
    price = filament_price(order("pla"), job, FILAMENT_RATES)
    laid = re.match(r"([0-9.]+) cm3 of filament", price.notes[0])
    assert laid is not None
    assert float(laid[1]) == pytest.approx(filament_cm3, rel=WITHIN_FILAMENT)
    assert price.machine_min == pytest.approx(minutes, rel=WITHIN_TIME)
