"""Prices, simulations, sweeps and clearances with a fake host, and manufacturing methods."""

from math import isnan
from typing import Any

import numpy as np
import pytest
from contracts.models.design import BillLine, BillOfMaterials, Finding
from contracts.models.geometry import Box
from kernel.api.clearances import clearance
from kernel.api.engineer_api import ManufacturingMethod, simulate
from kernel.api.host_tools import NotConnectedError
from kernel.api.pricing import price, validate_and_price
from kernel.api.simulation_run import SimulationRun
from kernel.api.sweeps import sweep
from parts_catalog.methods.registry import METHODS

from tests.kernel import runs
from tests.kernel.fakes import FakeHost, Labelled

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


def test_pricing_is_the_total_with_a_price_per_part(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeHost(bill=bill(3.5, 4.5)).connected():
        pricing = validate_and_price(object())
    assert pricing == 8.0
    assert pricing["part-1"] == 4.5
    assert dict(pricing.items()) == {"part-0": 3.5, "part-1": 4.5}
    assert pricing.is_makeable
    assert "Makeable" in capsys.readouterr().out


def test_findings_are_printed_and_returned_and_stop_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    finding = Finding(rule="missing_method", label="part-0", detail="say how")
    with FakeHost([finding], bill(1.0)).connected():
        pricing = validate_and_price(object())
    assert pricing == 1.0
    assert not pricing.is_makeable
    assert pricing.errors == (finding,)
    assert pricing.problem.endswith("missing_method, say how")
    assert "say how" in capsys.readouterr().out


def test_component_without_price_is_not_a_number() -> None:
    with FakeHost().connected():
        pricing = validate_and_price(object())
    assert isnan(pricing)
    assert not pricing.is_makeable


def test_price_of_a_size_is_that_of_a_box_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    host = FakeHost(bill=bill(2.0))
    with host.connected():
        assert price((60, 40, 4), "3d_printing", "pla", quantity=500) == 2.0
    assert host.quoted == [(((60.0, 40.0, 4.0), None, "3d_printing", "pla"), 500)]
    assert not capsys.readouterr().out


def test_price_of_a_size_with_a_volume_is_that_of_a_tray_of_it() -> None:
    host = FakeHost(bill=bill(2.0))
    with host.connected():
        price((60, 40, 20), "cnc", "pom", volume_cm3=12)
    ((_, wall_mm, _, _), _) = host.quoted[0]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]
    assert 60 * 40 * 20 - (60 - 2 * wall_mm) * (40 - 2 * wall_mm) * (20 - wall_mm) == pytest.approx(12_000)


@pytest.mark.parametrize(
    ("thing", "more"),
    [
        ((60, 40), {"method": "cnc", "material": "pom"}),
        ((60, 40, -4), {"method": "cnc", "material": "pom"}),
        ((60, 40, 4), {}),
        (object(), {"method": "cnc"}),
        ((60, 40, 4), {"method": "cnc", "material": "pom", "volume_cm3": 10}),
        ((60, 40, 4), {"method": "cnc", "material": "pom", "quantity": 0}),
    ],
)
def test_price_of_nonsense_is_refused(thing: object, more: dict[str, Any]) -> None:
    with FakeHost(bill=bill(2.0)).connected(), pytest.raises((TypeError, ValueError)):
        price(thing, **more)


def test_simulate_passes_replicas_seed_and_place() -> None:
    host = FakeHost()
    host.run = SimulationRun.of(runs.result(), runs.trajectory())
    with host.connected():
        simulate(object())
        simulate(object(), replicas=8, seed=3, payload_at_mm=(1, 2, 3))
        simulate(object(), payload_at_mm={"blue": [1, 2, 3]})
    assert host.simulated == [(1, 0, None), (8, 3, (1.0, 2.0, 3.0)), (1, 0, {"blue": (1.0, 2.0, 3.0)})]


@pytest.mark.parametrize(
    "more",
    [
        {"replicas": 0},
        {"replicas": 17},
        {"seed": -1},
        {"payload_at_mm": (1, 2)},
        {"payload_at_mm": "here"},
        {"payload_at_mm": {"blue": 1}},
    ],
)
def test_simulate_refuses_nonsense(more: dict[str, Any]) -> None:
    with FakeHost().connected(), pytest.raises(ValueError, match=next(iter(more))):
        simulate(object(), **more)


def test_clearance_names_gap_time_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    run = SimulationRun.of(runs.result(), runs.trajectory())
    with FakeHost().connected():
        assert clearance(run[0.0:1.0], object()) == {"piece": pytest.approx(300.04, abs=0.01)}
    assert "piece: 300.0 mm at 1.00 s, the payload at (0, 5, 300) mm" in capsys.readouterr().out


def test_clearance_of_several_payloads_is_that_of_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    """The wheel's place in the recording is that of a second payload, which starts at the origin."""
    run = SimulationRun.of(runs.result(), runs.trajectory())
    host = FakeHost()
    host.payloads = (*host.payloads, host.payloads[0].model_copy(update={"label": "wheel"}))
    with host.connected():
        assert clearance(run[0.5:1.0], object()) == {"piece": pytest.approx(5.0, abs=0.1)}
    assert "piece: 5.0 mm at 0.50 s, the payload wheel at (5, 0, 0) mm" in capsys.readouterr().out


def test_clearance_of_a_part_that_moves_along_is_measured_where_it_was() -> None:
    beside = np.stack([np.zeros(len(runs.TIME_S)), np.full(len(runs.TIME_S), 5.0), np.zeros(len(runs.TIME_S))], axis=1)
    arm_mm = np.stack([np.stack([runs.TIME_S * 10, runs.TIME_S * 0, runs.TIME_S * 0], axis=1)] * 2, axis=1)
    run = SimulationRun.of(runs.result(), runs.trajectory(payload_mm=arm_mm[:, 0] + beside))
    with FakeHost().connected():
        found = clearance(run[1.0:2.0], Labelled("arm"), Labelled("post"))
    assert found["arm"] == pytest.approx(5.0)
    assert found["post"] == pytest.approx(np.hypot(10.0, 5.0))


def test_clearance_of_a_turned_part_is_measured_in_its_frame() -> None:
    count = len(runs.TIME_S)
    quarter = np.tile([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], (count, 2, 1))
    quarter[0] = [1.0, 0.0, 0.0, 0.0]
    centre = np.tile([30.0, 0.0, 0.0], (count, 2, 1))
    # the arm's point at the origin is 30 mm behind its centre, and after a quarter turn 30 mm below it
    run = SimulationRun.of(
        runs.result(),
        runs.trajectory(payload_mm=np.tile([30.0, -34.0, 0.0], (count, 1)), body_mm=centre, body_quaternion=quarter),
    )
    with FakeHost().connected():
        assert clearance(run[1.0:2.0], Labelled("arm"))["arm"] == pytest.approx(4.0)


def test_sweep_prints_one_row_for_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    results = sweep(lambda width: 10 / width, [2, 0, 5])
    assert results[::2] == [5.0, 2.0]
    assert isinstance(results[1], ZeroDivisionError)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert [row.split(" | ")[1] for row in rows[2:]] == ["5", "ZeroDivisionError: division by zero", "2"]


def test_interrupted_sweep_prints_what_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(value: int) -> int:
        if value == 3:
            raise KeyboardInterrupt
        return value

    with pytest.raises(KeyboardInterrupt):
        sweep(interrupted, [1, 2, 3, 4])
    out = capsys.readouterr().out
    assert "| 2 | 2 |" in out
    assert "stopped by KeyboardInterrupt at 3: 2 of 4 ran" in out


def test_manufacturing_methods_equal_contract_values() -> None:
    assert {str(method) for method in ManufacturingMethod} == set(METHODS)
