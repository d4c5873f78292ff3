"""A part is estimated from its size as the workbenches price it once it is drawn."""

import pytest
from build123d import Box, Pos
from contracts.models.design import Method
from parts_catalog.methods.workshop_figures import FILAMENT_RULES
from parts_catalog.pricing.estimate import InvalidPartError, estimate_part
from parts_catalog.pricing.order import Edges
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import mesh_of, order

SMALL_PRINTER_MM = FILAMENT_RULES.printers[0].build_volume_mm[0]
SIZES: list[Edges] = [(250, 60, 3), (260, 60, 3), (120, 16, 16), (60, 40, 20)]
CHOICES: list[tuple[Method, str]] = [
    ("3d_printing", "pla"),
    ("3d_printing", "pa12-sls"),
    ("cnc", "aluminum-6061"),
    ("cnc", "pom"),
    ("injection_molding", "abs"),
]


@pytest.mark.parametrize("size_mm", SIZES, ids=str)
@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice[1])
def test_estimate_of_a_block_is_its_price(choice: tuple[Method, str], size_mm: Edges) -> None:
    method, material_id = choice
    requested = order(material_id)
    quoted = WORKBENCHES[method].price(mesh_of(Box(*size_mm)), requested)
    assert estimate_part(requested, method, size_mm).unit_price_usd == pytest.approx(quoted.unit_price_usd, rel=0.02)


def test_estimate_of_a_channel_is_near_its_price() -> None:
    channel = Box(240, 46, 30) - Pos(0, 0, 3) * Box(240, 40, 30)
    requested = order("pla")
    quoted = WORKBENCHES["3d_printing"].price(mesh_of(channel), requested)
    estimate = estimate_part(requested, "3d_printing", (240, 46, 30), channel.volume)
    assert estimate.unit_price_usd == pytest.approx(quoted.unit_price_usd, rel=0.2)
    solid_g = channel.volume * 1e-6 * requested.material.density_kg_m3
    assert 0.6 * solid_g < estimate.mass_g <= solid_g + 1e-6


def test_part_above_the_small_printer_costs_almost_twice_as_much() -> None:
    below, above = (
        estimate_part(order("pla"), "3d_printing", (SMALL_PRINTER_MM + more, 60, 3)).unit_price_usd for more in (0, 1)
    )
    assert above > 1.8 * below


def test_part_that_no_machine_holds_does_not_fit() -> None:
    assert not estimate_part(order("steel-1018"), "cnc", (300, 20, 20)).fits
    assert estimate_part(order("aluminum-6061"), "cnc", (300, 20, 20)).fits


def test_material_of_another_method_is_refused() -> None:
    with pytest.raises(InvalidPartError, match="pla needs 3d_printing, not cnc"):
        estimate_part(order("pla"), "cnc", (10, 10, 10))


def test_volume_above_that_of_the_block_is_refused() -> None:
    with pytest.raises(InvalidPartError, match=r"a block of this size has 1\.0 cm3"):
        estimate_part(order("pla"), "3d_printing", (10, 10, 10), 2000.0)
