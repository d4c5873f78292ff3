"""Filament and time of public parts against a slicer's estimates; `public_parts/README.md` has figures and source."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from build123d import Box, Solid
from geometry.occt.brep import read_step
from parts_catalog.methods.workshop_figures import FILAMENT_RATES, FILAMENT_RULES
from parts_catalog.pricing.print_prices import PrintJob, filament_price
from workbenches.part_mesh import PartMesh
from workbenches.printing.orientation import best_orientation, orientation_of

from tests.workbenches.parts_and_orders import order

PARTS = Path(__file__).parent / "public_parts"
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


def solid_of(name: str, folder: Path) -> Solid:
    if name == "cube":
        return Box(40, 40, 40).solid()
    file = folder / f"{name}.step"
    file.write_bytes(gzip.decompress((PARTS / f"{name}.stpz").read_bytes()))
    (solid,) = read_step(file).solids
    return solid


@pytest.mark.parametrize(("name", "way_up", "filament_cm3", "minutes"), SLICED)
def test_print_takes_the_filament_and_time_of_a_slicer(
    name: str, way_up: str, filament_cm3: float, minutes: float, tmp_path: Path
) -> None:
    mesh = PartMesh.of(solid_of(name, tmp_path))
    up = np.array([0.0, 0.0, 1.0])
    placed = best_orientation(mesh, FILAMENT_RULES)
    if way_up == "drawn":
        placed = orientation_of(mesh, up, mesh.range_mm(up)[1] - mesh.range_mm(up)[0], FILAMENT_RULES)
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
