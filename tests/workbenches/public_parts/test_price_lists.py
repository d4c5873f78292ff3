"""Prices of public parts against published price lists; `README.md` has their source."""

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from contracts.models.design import PriceBreakdown
from geometry.occt.brep import read_step
from geometry.occt.measures import bounding_box
from parts_catalog.pricing.infill import made_mass_kg
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import order

PARTS = Path(__file__).parent
USD_PER_EUR, USD_PER_GBP = 1.1, 1.3
PIECES = 10
RATIOS = (
    ("plate", 11.4, 5.60, 3.90),
    ("motor-holder", 7.32, 5.64, 1.51),
    ("wrist-motor-holder", 7.47, 5.56, 1.55),
    ("base-motor-holder", 4.63, 5.23, 1.10),
    ("handle", 4.19, 4.62, 2.05),
    ("plug-camera", 1.43, 5.29, 0.50),
    ("upper-arm", 4.38, 4.21, 1.87),
    ("base", 2.57, 5.43, 0.79),
)
"""Our price of ten pieces, each, over that of each list: filament by box, by weight and hours, powder by box."""


@cache
def mesh_of(name: str) -> PartMesh:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.step"
        file.write_bytes(gzip.decompress((PARTS / f"{name}.stpz").read_bytes()))
        (solid,) = read_step(file).solids
    return PartMesh.of(solid)


def by_box_in_filament(name: str) -> float:
    """PLA at 3dopendesign.com, how-pricing-works: 6.5 h/1000 cm3 of the box, times 1.3, at 3.90 EUR/h."""
    x, y, z = box_mm(name)
    return x * y * z / 1000 * 6.5 / 1000 * 1.3 * 3.90 * USD_PER_EUR


def by_weight_and_hours(name: str) -> float:
    """PLA at formlab.schoolofarts.be, 2023-05-10: 0.032 EUR/g and 0.30 to 0.75 EUR/h, both by size; at least 1 EUR."""
    mesh, price = mesh_of(name), ours(name, "pla")
    grams = 1000 * made_mass_kg(order("pla").material, "3d_printing", mesh.volume_mm3, mesh.area_mm2)
    hours = price.machine_min / 60
    per_gram = 0.032 * (2 if grams < 100 else 1.5)
    per_hour = 0.75 if hours < 5 else 0.5
    return max(1.0, grams * per_gram + hours * per_hour) * USD_PER_EUR


def by_box_in_powder(name: str) -> float:
    """PA12 at 3dpeople.uk, sls-pricing: 0.11 GBP/cm3 of the box, 1 mm wider each way."""
    x, y, z = box_mm(name)
    return (x + 1) * (y + 1) * (z + 1) * 0.00011 * USD_PER_GBP


LISTS: tuple[tuple[Callable[[str], float], str], ...] = (
    (by_box_in_filament, "pla"),
    (by_weight_and_hours, "pla"),
    (by_box_in_powder, "pa12-sls"),
)


@pytest.mark.sample(3)
@pytest.mark.parametrize("row", RATIOS, ids=lambda row: row[0])
def test_price_over_that_of_published_lists_is_what_the_table_has(row: tuple[str, float, float, float]) -> None:
    name, *expected = row
    found = [ours(name, material).unit_price_usd / price(name) for price, material in LISTS]
    assert found == pytest.approx(expected, rel=0.05)


@cache
def ours(name: str, material: str) -> PriceBreakdown:
    return WORKBENCHES["3d_printing"].price(mesh_of(name), order(material, PIECES))


def box_mm(name: str) -> tuple[float, float, float]:
    bounds = bounding_box(mesh_of(name).solid)
    assert bounds is not None
    return bounds.size_mm
