"""Simulated runs and time series, indexed by absolute time. Error messages are in golden/errors.txt."""

import numpy as np
import pytest
from contracts.models.simulation import SimulationResult
from kernel.api.display import show_on
from kernel.api.simulation_run import NotRecordedError, SimulationRun
from kernel.api.time_series import MisalignedError, NotSimulatedError
from kernel.runtime.variables import SUMMARY_CHARS, summary_of

from tests.kernel.fakes import FakeScreen
from tests.kernel.runs import TIME_S, result, trajectory


@pytest.fixture
def run() -> SimulationRun:
    return SimulationRun.of(result(), trajectory())


def test_run_has_all_fields_of_result(run: SimulationRun) -> None:
    assert isinstance(run, SimulationResult)
    assert all(getattr(run, name) == getattr(result(), name) for name in SimulationResult.model_fields)


def test_values_are_indexed_by_absolute_time(run: SimulationRun) -> None:
    assert run.payload_mm.at(1.25) == pytest.approx([0, 5, 275])
    assert run.payload_mm[1.25] == pytest.approx([0, 5, 275])
    assert run.joint("hinge").at(2.004) == pytest.approx(40.08), "between two samples"
    assert run.body_mm("arm")[2.0] == pytest.approx([20, 0, 0])
    assert run.motor_torque_n_m("motor").time_of_max() == pytest.approx(np.pi / 2, abs=1 / 60)
    state = run.at(1.25)
    assert state.payload_mm == pytest.approx([0, 5, 275])
    assert state.joint == {"hinge": pytest.approx(25)}
    assert set(state.body_mm) == {"arm", "wheel"}
    assert state.motor_torque_n_m["motor"] == pytest.approx(np.sin(1.25), abs=1e-4)


def test_slice_keeps_times_of_whole_run(run: SimulationRun) -> None:
    part = run[1.0:2.5]
    assert (part.time_s[0], part.time_s[-1]) == pytest.approx((1.0, 2.5))
    assert part.window_s == pytest.approx((1.0, 2.5))
    assert part.payload_mm[1.25] == pytest.approx(run.payload_mm[1.25])
    assert [each.time_s for each in part.events] == [1.5]
    assert part[2.0:].time_s[0] == pytest.approx(2.0)
    assert run.joint("hinge")[1.0:2.0].time_s[0] == pytest.approx(1.0)
    assert len(run.time_s) == len(TIME_S), "the run itself is unchanged"
    with pytest.raises(NotSimulatedError, match=r"at 0\.5 s.*1\.000 s to 2\.500 s"):
        part.payload_mm.at(0.5)
    with pytest.raises(NotSimulatedError, match="between 4 s and 5 s"):
        run[4.0:5.0]


def test_events_between_includes_both_times(run: SimulationRun) -> None:
    assert [each.time_s for each in run.events_between(1.0, 3.0)] == [1.5, 2.75]


def test_numpy_functions_accept_aligned_series(run: SimulationRun) -> None:
    height = run.payload_mm[:, 2]
    lead = height - run.body_mm("arm")[:, 0]
    assert lead.at(1.0) == pytest.approx(290)
    assert height[1.0:2.0].min() == pytest.approx(200)
    assert np.linalg.norm(run.payload_mm - run.body_mm("arm"), axis=1).shape == (len(TIME_S),)
    assert run.time_s[(height < 250).values][0] == pytest.approx(1.5, abs=1 / 30)
    assert np.max(height) == pytest.approx(400)


def test_series_with_other_times_cannot_be_combined(run: SimulationRun) -> None:
    with pytest.raises(MisalignedError, match="sample times"):
        _ = run.payload_mm[0.0:1.0] - run.body_mm("arm")[1.0:2.0]
    assert (run.payload_mm[1.0:2.0] - run.body_mm("arm")[1.0:2.0]).at(1.0) == pytest.approx([-10, 5, 300])


def test_series_of_different_runs_cannot_be_combined(run: SimulationRun) -> None:
    other = SimulationRun.of(result("second"), trajectory())
    with pytest.raises(MisalignedError, match="different runs"):
        _ = run.payload_mm - other.payload_mm
    with pytest.raises(MisalignedError, match="different runs"):
        np.maximum(run.joint("hinge"), other.joint("hinge"))
    assert run.payload_mm.max() == other.payload_mm.max(), "numbers of different runs may be compared"


def test_sample_indices_are_refused(run: SimulationRun) -> None:
    with pytest.raises(NotSimulatedError, match=r"use \.last"):
        run.payload_mm[-1]
    assert run.payload_mm.last == pytest.approx([0, 5, 100])
    with pytest.raises(TypeError, match=r"run\.at\(1\.25\)"):
        run[3]  # pyright: ignore[reportArgumentType] - what an agent might write
    with pytest.raises(TypeError, match="no step"):
        run.payload_mm[0.0:1.0:2]


def test_unknown_label_error_lists_recorded_ones(run: SimulationRun) -> None:
    with pytest.raises(NotRecordedError, match=r"'elbow'.*'hinge'"):
        run.joint("elbow")
    with pytest.raises(NotRecordedError, match=r"simulate\(\) it again"):
        _ = SimulationRun.of(result(), b"").payload_mm


def test_repr_begins_with_verdict_and_explains_use(run: SimulationRun) -> None:
    assert repr(run).startswith("**FAILED**: the payload touched the forbid zone `wall` after 1.50 s.")
    assert "run.at(1.25)" in repr(run)
    line = summary_of(run)
    assert line.startswith("solved, of 181 samples, 0.00 s to 3.00 s")
    assert "[1.0:2.5]" in line
    assert len(line) <= SUMMARY_CHARS
    assert "s[1.25] is its value at 1.25 s" in summary_of(run.payload_mm)


def test_pickled_objects_in_trajectory_are_not_loaded() -> None:
    with pytest.raises(ValueError, match="allow_pickle=False"):
        SimulationRun.of(result(), trajectory(payload_mm=np.array([{"x": 1}], dtype=object)))


def test_runs_and_slices_can_be_shown(run: SimulationRun) -> None:
    screen = FakeScreen()
    show_on(screen, (run, run[1.0:2.0]), None)
    assert [shown.window_s for shown, _ in screen.runs] == [None, pytest.approx((1.0, 2.0))]
    assert [label for _, label in screen.runs] == ["simulation: solved"] * 2
