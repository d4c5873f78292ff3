"""C3: a simulated run in the kernel, by absolute time."""

import io
from typing import Any

import numpy as np
import pytest
from contracts.models.simulation import PhysicalEvent, SimulationResult
from kernel.api.display import show_on
from kernel.api.simulation_run import NotRecordedError, SimulationRun
from kernel.api.time_series import MisalignedError, NotSimulatedError
from kernel.runtime.value_summaries import SUMMARY_CHARS, summary_of

from tests.contracts import example_values as values

TIME_S = np.arange(0, 3.0001, 1 / 60)


def npz(**changes: Any) -> bytes:
    """Return a run of 3 s in which an arm turns at 20 degrees per second and the payload falls at 100 mm/s."""
    count = len(TIME_S)
    numbers: dict[str, Any] = {
        "time_s": TIME_S,
        "payload_mm": np.stack([np.zeros(count), np.full(count, 5.0), 400 - 100 * TIME_S], axis=1),
        "payload_quaternion": np.tile([1.0, 0, 0, 0], (count, 1)),
        "bodies": np.array(["arm", "wheel"]),
        "body_mm": np.stack([np.stack([TIME_S * 10, TIME_S * 0, TIME_S * 0], axis=1)] * 2, axis=1),
        "body_quaternion": np.tile([1.0, 0, 0, 0], (count, 2, 1)),
        "joints": np.array(["hinge"]),
        "joint_position": 20 * TIME_S[:, None],
        "motors": np.array(["motor"]),
        "motor_torque_n_m": np.sin(TIME_S)[:, None],
        "motor_power_w": np.cos(TIME_S)[:, None] + 1,
    }
    file = io.BytesIO()
    np.savez(file, **(numbers | changes))
    return file.getvalue()


def event(time_s: float) -> PhysicalEvent:
    return PhysicalEvent(time_s=time_s, kind="contact", subject="payload", other="floor", place_mm=(0, 0, 0))


def result(digest: str = "first") -> SimulationResult:
    changes: dict[str, Any] = {
        "trajectory_digest": values.digest(digest),
        "events": (event(0.5), event(1.5), event(2.75)),
        "summary_md": "**FAILED**: the payload touched the forbid zone `wall` after 1.50 s.\n\n## Nominal run\n",
    }
    return values.RESULT.model_copy(update=changes)


@pytest.fixture
def run() -> SimulationRun:
    return SimulationRun.of(result(), npz())


def test_c3_a_run_has_all_that_the_result_has(run: SimulationRun) -> None:
    assert isinstance(run, SimulationResult)
    assert all(getattr(run, name) == getattr(result(), name) for name in SimulationResult.model_fields)


def test_c3_everything_is_asked_for_by_absolute_time(run: SimulationRun) -> None:
    assert run.payload_mm.at(1.25) == pytest.approx([0, 5, 275])
    assert run.payload_mm[1.25] == pytest.approx([0, 5, 275])
    assert run.joint("hinge").at(2.004) == pytest.approx(40.08), "between two samples"
    assert run.body_mm("arm")[2.0] == pytest.approx([20, 0, 0])
    assert run.motor_torque_n_m("motor").time_of_max() == pytest.approx(np.pi / 2, abs=1 / 60)
    now = run.at(1.25)
    assert now.payload_mm == pytest.approx([0, 5, 275])
    assert now.joint == {"hinge": pytest.approx(25)}
    assert set(now.body_mm) == {"arm", "wheel"}
    assert now.motor_torque_n_m["motor"] == pytest.approx(np.sin(1.25), abs=1e-4)


def test_c3_a_slice_keeps_the_times_of_the_whole_run(run: SimulationRun) -> None:
    piece = run[1.0:2.5]
    assert (piece.time_s[0], piece.time_s[-1]) == pytest.approx((1.0, 2.5))
    assert piece.window_s == pytest.approx((1.0, 2.5))
    assert piece.payload_mm[1.25] == pytest.approx(run.payload_mm[1.25])
    assert [each.time_s for each in piece.events] == [1.5]
    assert piece[2.0:].time_s[0] == pytest.approx(2.0)
    assert run.joint("hinge")[1.0:2.0].time_s[0] == pytest.approx(1.0)
    assert len(run.time_s) == len(TIME_S), "the run itself stays whole"
    with pytest.raises(NotSimulatedError, match=r"at 0\.5 s: it goes from 1\.000 s to 2\.500 s"):
        piece.payload_mm.at(0.5)
    with pytest.raises(NotSimulatedError, match="no sample between 4 s and 5 s"):
        run[4.0:5.0]


def test_c3_events_lie_between_times(run: SimulationRun) -> None:
    assert [each.time_s for each in run.events_between(1.0, 3.0)] == [1.5, 2.75]


def test_c3_numpy_calculates_with_what_is_aligned(run: SimulationRun) -> None:
    height = run.payload_mm[:, 2]
    lead = height - run.body_mm("arm")[:, 0]
    assert lead.at(1.0) == pytest.approx(290)
    assert height[1.0:2.0].min() == pytest.approx(200)
    assert np.linalg.norm(run.payload_mm - run.body_mm("arm"), axis=1).shape == (len(TIME_S),)
    assert run.time_s[(height < 250).values][0] == pytest.approx(1.5, abs=1 / 30)
    assert np.max(height) == pytest.approx(400)


def test_c3_series_of_other_moments_are_not_paired(run: SimulationRun) -> None:
    with pytest.raises(MisalignedError, match=r"not of the same moments: take the same window"):
        _ = run.payload_mm[0.0:1.0] - run.body_mm("arm")[1.0:2.0]
    assert (run.payload_mm[1.0:2.0] - run.body_mm("arm")[1.0:2.0]).at(1.0) == pytest.approx([-10, 5, 300])


def test_c3_series_of_different_runs_are_not_paired(run: SimulationRun) -> None:
    other = SimulationRun.of(result("second"), npz())
    with pytest.raises(MisalignedError, match="different runs"):
        _ = run.payload_mm - other.payload_mm
    with pytest.raises(MisalignedError, match="different runs"):
        np.maximum(run.joint("hinge"), other.joint("hinge"))
    assert run.payload_mm.max() == other.payload_mm.max(), "their numbers may be compared"


def test_c3_an_index_is_taken_for_no_time(run: SimulationRun) -> None:
    with pytest.raises(NotSimulatedError, match=r"times in seconds, not indices; for the last sample use \.last"):
        run.payload_mm[-1]
    assert run.payload_mm.last == pytest.approx([0, 5, 100])
    with pytest.raises(TypeError, match=r"run\.at\(1\.25\)"):
        run[3]  # pyright: ignore[reportArgumentType] - what an agent might write
    with pytest.raises(TypeError, match="no step"):
        run.payload_mm[0.0:1.0:2]


def test_c3_what_was_not_recorded_is_named_with_what_was(run: SimulationRun) -> None:
    with pytest.raises(NotRecordedError, match="no joint 'elbow'; there are 'hinge'"):
        run.joint("elbow")
    with pytest.raises(NotRecordedError, match=r"simulate\(\) it again"):
        _ = SimulationRun.of(result(), b"").payload_mm


def test_c3_the_verdict_stands_first_and_the_use_after_it(run: SimulationRun) -> None:
    assert repr(run).startswith("**FAILED**: the payload touched the forbid zone `wall` after 1.50 s.")
    assert "run.at(1.25)" in repr(run)
    line = summary_of(run)
    assert line.startswith("**FAILED**: the payload touched the forbid zone")
    assert "181 samples, 0.00 s to 3.00 s" in line
    assert "run[1.0:2.5]" in line
    assert len(line) <= SUMMARY_CHARS
    assert "s[1.25] is its value at 1.25 s" in summary_of(run.payload_mm)


def test_c3_objects_in_a_trajectory_file_are_not_loaded() -> None:
    with pytest.raises(ValueError, match="allow_pickle=False"):
        SimulationRun.of(result(), npz(payload_mm=np.array([{"x": 1}], dtype=object)))


class Screen:
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.windows: list[tuple[float, float] | None] = []

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        raise AssertionError("a run is no shape")

    def show_picture(self, png: bytes, label: str) -> None:
        raise AssertionError("a run is no picture")

    def show_run(self, run: SimulationRun, label: str) -> None:
        assert label == "simulation: solved"
        self.windows.append(run.window_s)


def test_c3_runs_and_slices_can_be_shown(run: SimulationRun) -> None:
    screen = Screen()
    show_on(screen, (run, run[1.0:2.0]), None)
    assert screen.windows == [None, pytest.approx((1.0, 2.0))]
