"""Materials: plausible figures, and a use for each."""

import pytest
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.methods.registry import METHODS


def test_every_method_has_materials() -> None:
    for method in METHODS:
        assert materials_for(method)


def test_every_material_has_method_and_plausible_density() -> None:
    assert all(material.methods for material in MATERIALS.values())
    litre_kg = {material_id: material.density_kg_m3 / 1000 for material_id, material in MATERIALS.items()}
    assert litre_kg["aluminum-6061"] == pytest.approx(2.7)
    assert litre_kg["pp"] < 1 < litre_kg["pla"]


def test_yield_strain_and_restitution_are_plausible() -> None:
    for material in MATERIALS.values():
        assert 0 < material.restitution < 1
        if material.yield_mpa is not None:
            assert 0.0005 < material.yield_mpa / (material.modulus_gpa * 1000) < 0.05, material.id
    assert MATERIALS["steel-1018"].modulus_gpa > MATERIALS["aluminum-6061"].modulus_gpa > MATERIALS["pom"].modulus_gpa
