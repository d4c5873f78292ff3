"""Prices change in the right direction with size, quantity and tolerance."""

from itertools import pairwise
from typing import Any, get_args

import pytest
from build123d import Box, Cylinder, Plane, Rectangle, extrude
from build123d.topology import Shape
from contracts.models.design import Method
from contracts.quotes import QuoteChoice
from hypothesis import given, settings
from hypothesis import strategies as st
from parts_catalog.methods.workshop_figures import ToleranceClass
from workbenches.part_quote import quote_solid
from workbenches.registry import WORKBENCHES

from tests.workbenches.parts_and_orders import mesh_of, order

MATERIALS: dict[Method, tuple[str, ...]] = {
    "cnc": ("aluminum-6061", "steel-1018", "pom"),
    "3d_printing": ("pla", "pa12-sls"),
    "injection_molding": ("abs", "pp"),
}
CHOICES: list[tuple[Method, str]] = [(method, material_id) for method, ids in MATERIALS.items() for material_id in ids]
SIZES = st.tuples(*(st.floats(10, 80) for _ in range(3)))


def unit_price(shape: Shape[Any], choice: tuple[Method, str], quantity: int = 50, **changes: object) -> float:
    method, material_id = choice
    requested = order(material_id, quantity).model_copy(update=changes)
    return WORKBENCHES[method].price(mesh_of(shape), requested).unit_price_usd


@pytest.mark.sample(3)
@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice[1])
@settings(max_examples=15, deadline=None, derandomize=True)
@given(size=SIZES, factor=st.floats(1.01, 2.0))
def test_larger_part_costs_more(choice: tuple[Method, str], size: tuple[float, float, float], factor: float) -> None:
    x, y, z = size
    assert unit_price(Box(x * factor, y * factor, z * factor), choice) > unit_price(Box(x, y, z), choice)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice[1])
@settings(max_examples=10, deadline=None, derandomize=True)
@given(size=SIZES)
def test_unit_price_does_not_grow_with_quantity(choice: tuple[Method, str], size: tuple[float, float, float]) -> None:
    prices = [unit_price(Box(*size), choice, quantity) for quantity in (1, 2, 10, 99, 1000, 50_000)]
    assert all(many <= few for few, many in pairwise(prices))
    assert prices[-1] < prices[0]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice[1])
def test_finer_tolerance_class_is_not_cheaper(choice: tuple[Method, str]) -> None:
    prices = [unit_price(Box(40, 30, 20), choice, tolerance_class=name) for name in get_args(ToleranceClass)]
    assert all(coarser <= finer for coarser, finer in pairwise(prices))


def housing() -> Shape[Any]:
    """50 cm3 of walls of 3 mm, which can be milled and moulded."""
    outer = extrude(Plane.XY.offset(30) * Rectangle(105, 70), -30, taper=2)
    return outer - extrude(Plane.XY.offset(30) * Rectangle(98.9, 63.9), -27, taper=2)


def test_moulding_becomes_cheaper_than_milling_by_1000_pieces() -> None:
    part = housing()
    assert mesh_of(part).solid.volume == pytest.approx(50_000, rel=0.05)
    few, many = (
        (unit_price(part, ("cnc", "pom"), n), unit_price(part, ("injection_molding", "pom"), n)) for n in (100, 1000)
    )
    assert few[0] < few[1], "at 100 pieces it is milled"
    assert many[1] < many[0], "at 1000 pieces it is moulded"


def test_unit_price_is_sum_of_its_items() -> None:
    for method, material_id in CHOICES:
        price = WORKBENCHES[method].price(mesh_of(Box(40, 30, 20)), order(material_id))
        parts = (price.material_usd, price.machine_usd, price.setup_usd, price.tooling_usd, price.margin_usd)
        assert price.unit_price_usd == pytest.approx(sum(parts))


@pytest.mark.parametrize(
    ("method", "material_id"),
    [
        ("injection_molding", "pp"),
        ("cnc", "aluminum-6061"),
        ("turning", "aluminum-6061"),
        ("sheet_metal", "steel-dc01"),
    ],
)
def test_four_equal_parts_of_a_file_share_one_mould_and_one_set_up(method: Method, material_id: str) -> None:
    """What is paid once per order is a quarter for each of four, at every quantity of the file."""
    choice = QuoteChoice(methods=(method,), materials=(material_id,), quantities=(1, 25))
    solid = Cylinder(20, 2).solid() if method == "turning" else Box(40, 30, 2).solid()
    one, four = (quote_solid("part", solid, count, choice).ways[0].prices for count in (1, 4))
    for alone, shared in zip(one, four, strict=True):
        assert shared.pieces == 4 * alone.pieces
        once = [price.breakdown.setup_usd + price.breakdown.tooling_usd for price in (alone, shared)]
        assert once[0] > 0
        assert once[1] == pytest.approx(once[0] / 4)
