"""Materials."""

from typing import get_args

import pytest
from contracts.models.design import Method
from parts_catalog.masses import mass_kg
from parts_catalog.materials import MATERIALS, materials_for


def test_every_method_has_materials() -> None:
    for method in get_args(Method):
        assert materials_for(method)


def test_every_material_can_be_used_and_floats_or_sinks_as_it_should() -> None:
    assert all(material.methods for material in MATERIALS.values())
    litre_kg = {material_id: mass_kg(1e6, material_id) for material_id in MATERIALS}
    assert litre_kg["aluminum-6061"] == pytest.approx(2.7)
    assert litre_kg["pp"] < 1 < litre_kg["pla"]


def test_materials_stretch_by_a_plausible_share_before_they_yield() -> None:
    for material in MATERIALS.values():
        assert 0 < material.restitution < 1
        if material.yield_mpa is not None:
            assert 0.0005 < material.yield_mpa / (material.modulus_gpa * 1000) < 0.05, material.id
    assert MATERIALS["steel-1018"].modulus_gpa > MATERIALS["aluminum-6061"].modulus_gpa > MATERIALS["pom"].modulus_gpa
