"""`validate_and_price` with a fake host, and manufacturing methods."""

import pytest
from contracts.models.design import BillLine, BillOfMaterials, Finding
from contracts.models.geometry import Box
from kernel.api.engineer_api import ManufacturingMethod, NotMakeableError, validate_and_price
from kernel.api.host_tools import NotConnectedError

from tests.kernel.fakes import FakeHost

BOX = Box(min_mm=(0, 0, 0), max_mm=(10, 10, 10))


def bill(*prices: float) -> BillOfMaterials:
    """Return a bill with one part per price."""
    lines = tuple(
        BillLine(
            label=f"part-{number}",
            method="cnc",
            material_id="pom",
            volume_mm3=1000,
            mass_kg=0.1,
            unit_price_usd=price,
            box=BOX,
        )
        for number, price in enumerate(prices)
    )
    return BillOfMaterials(lines=lines, quantity=1, unit_price_usd=sum(prices), mass_kg=0.1)


def test_functions_fail_outside_a_cell() -> None:
    with pytest.raises(NotConnectedError):
        validate_and_price(object())


def test_part_has_one_price_and_assembly_one_per_part(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeHost(bill=bill(3.5)).connected():
        assert validate_and_price(object()) == 3.5
    with FakeHost(bill=bill(3.5, 4.5)).connected():
        assert validate_and_price(object()) == {"part-0": 3.5, "part-1": 4.5}
    assert "Makeable" in capsys.readouterr().out


def test_error_findings_are_printed_and_raised(capsys: pytest.CaptureFixture[str]) -> None:
    finding = Finding(rule="missing_method", label="part-0", detail="say how")
    with FakeHost([finding], bill(1.0)).connected(), pytest.raises(NotMakeableError, match="missing_method"):
        validate_and_price(object())
    assert "say how" in capsys.readouterr().out


def test_component_without_price_is_not_makeable() -> None:
    with FakeHost().connected(), pytest.raises(NotMakeableError, match="no price"):
        validate_and_price(object())


def test_manufacturing_methods_equal_contract_values() -> None:
    assert {str(method) for method in ManufacturingMethod} == {"cnc", "3d_printing", "injection_molding"}
