"""Materials and prices."""

from typing import get_args

import pytest
from contracts.design import Method
from kernel.materials import MATERIALS, materials_for
from kernel.pricing import MACHINABILITY, WORKSHOPS, mass_kg, unit_price_usd


def test_every_method_has_a_workshop_and_materials() -> None:
    assert set(WORKSHOPS) == set(get_args(Method))
    for method in WORKSHOPS:
        assert materials_for(method)


def test_every_material_can_be_used_and_floats_or_sinks_as_it_should() -> None:
    assert all(material.methods for material in MATERIALS.values())
    assert set(MACHINABILITY) <= set(materials_for("cnc"))
    litre_kg = {material_id: mass_kg(1e6, material_id) for material_id in MATERIALS}
    assert litre_kg["aluminum-6061"] == pytest.approx(2.7)
    assert litre_kg["pp"] < 1 < litre_kg["pla"]


def test_materials_stretch_by_a_plausible_share_before_they_yield() -> None:
    for material in MATERIALS.values():
        assert 0 < material.restitution < 1
        if material.yield_mpa is not None:
            assert 0.0005 < material.yield_mpa / (material.modulus_gpa * 1000) < 0.05, material.id
    assert MATERIALS["steel-1018"].modulus_gpa > MATERIALS["aluminum-6061"].modulus_gpa > MATERIALS["pom"].modulus_gpa


@pytest.mark.parametrize("method", tuple(WORKSHOPS))
def test_more_pieces_are_never_dearer_and_the_setup_is_shared(method: Method) -> None:
    material = materials_for(method)[0]
    one, hundred, many = (unit_price_usd(20_000, method, material, n) for n in (1, 100, 10_000))
    assert one > hundred > many
    shop = WORKSHOPS[method]
    assert one - hundred == pytest.approx(shop.margin * shop.setup_usd * 0.99)


def test_a_mould_pays_off_in_large_orders_only() -> None:
    def cheapest(quantity: int) -> str:
        offers = {
            "3d_printing": unit_price_usd(20_000, "3d_printing", "abs", quantity),
            "injection_molding": unit_price_usd(20_000, "injection_molding", "abs", quantity),
        }
        return min(offers, key=lambda method: offers[method])

    assert cheapest(10) == "3d_printing"
    assert cheapest(10_000) == "injection_molding"


def test_hard_metal_is_cut_more_slowly() -> None:
    assert unit_price_usd(50_000, "cnc", "steel-1018", 100) > unit_price_usd(50_000, "cnc", "aluminum-6061", 100)
