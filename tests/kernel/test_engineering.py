"""The API of a kernel, over a host made of answers."""

from collections.abc import Iterator, Sequence
from typing import NoReturn

import pytest
from contracts.models.benchmark import Limits
from contracts.models.design import BillLine, BillOfMaterials, Finding
from contracts.models.geometry import Box
from contracts.models.observation import Observation
from kernel.api import engineering
from kernel.api.engineering import ManufacturingMethod, NotConnectedError, NotMakeableError, validate_and_price
from kernel.api.simulation_run import SimulationRun

BOX = Box(min_mm=(0, 0, 0), max_mm=(10, 10, 10))


def bill(*prices: float) -> BillOfMaterials:
    """Return a bill of as many parts."""
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


class Answers:
    """Effects whose quote is what the test says."""

    limits = Limits()

    def __init__(self, findings: Sequence[Finding], bill: BillOfMaterials | None) -> None:
        self._answer = (findings, bill)

    def quote(self, component: object) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        return self._answer

    def simulate(self, assembly: object) -> SimulationRun:
        raise AssertionError("not asked for")

    def run_script(self) -> Observation:
        raise AssertionError("not asked for")

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        raise AssertionError("not asked for")

    def show_picture(self, png: bytes, label: str) -> None:
        raise AssertionError("not asked for")

    def show_run(self, run: SimulationRun, label: str) -> None:
        raise AssertionError("not asked for")

    def submit(self, assembly: object) -> NoReturn:
        raise AssertionError("not asked for")

    def refuse(self, proof: str) -> NoReturn:
        raise AssertionError("not asked for")


@pytest.fixture(autouse=True)
def disconnected() -> Iterator[None]:
    """Leave no answers behind."""
    yield
    engineering._connected.clear()  # pyright: ignore[reportPrivateUsage] - only a test ever disconnects


def test_outside_a_kernel_nothing_works() -> None:
    with pytest.raises(NotConnectedError):
        validate_and_price(object())


def test_one_part_has_a_price_and_several_have_one_each(capsys: pytest.CaptureFixture[str]) -> None:
    engineering.connect(Answers([], bill(3.5)))
    assert validate_and_price(object()) == 3.5
    engineering.connect(Answers([], bill(3.5, 4.5)))
    assert validate_and_price(object()) == {"part-0": 3.5, "part-1": 4.5}
    assert "Makeable" in capsys.readouterr().out


def test_findings_are_printed_and_raised(capsys: pytest.CaptureFixture[str]) -> None:
    engineering.connect(Answers([Finding(rule="missing_method", label="part-0", detail="say how")], bill(1.0)))
    with pytest.raises(NotMakeableError, match="missing_method"):
        validate_and_price(object())
    assert "say how" in capsys.readouterr().out


def test_methods_read_as_the_contracts_name_them() -> None:
    assert {str(each) for each in ManufacturingMethod} == {"cnc", "3d_printing", "injection_molding"}
