"""The recorder's lag and the stream's size: log lines, health and metrics."""

from datetime import UTC, datetime, timedelta

import pytest
from chassis.observability.metrics import Meters
from chassis.stream.lag import Lag
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from recorder.periodic_tasks import StreamWatch


def lag(unrecorded: int, recorded_up_to: int, age_s: float, stored_bytes: int = 0) -> Lag:
    oldest = datetime.now(UTC) - timedelta(seconds=age_s) if unrecorded else None
    return Lag(unrecorded, 100, recorded_up_to, oldest, stored_bytes)


def watch_of(*lags: Lag) -> tuple[StreamWatch, InMemoryMetricReader]:
    reader, measurements = InMemoryMetricReader(), iter(lags)

    async def measure() -> Lag:
        return next(measurements)

    return StreamWatch(measure, Meters("recorder", [reader]), lag_limit_s=5.0, size_limit_mb=2.0), reader


async def test_growing_lag_without_recording_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    watch, _ = watch_of(lag(1, 10, 0.1), lag(30, 40, 0.2), lag(50, 40, 9.0), lag(20, 70, 9.0))
    for _ in range(4):
        await watch.measure()
    (line,) = caplog.messages
    assert line.startswith("recorder lag: 50 of 100, the oldest for 9.")
    assert line.endswith("; it was 30")


async def test_lag_above_the_limit_is_a_problem() -> None:
    watch, _ = watch_of(lag(0, 10, 0), lag(3, 10, 4.0), lag(3, 10, 6.0))
    assert await watch.problem() is None
    assert await watch.problem() is None
    assert "less than 5 s" in (await watch.problem() or "")


async def test_lag_is_exported_as_metrics() -> None:
    watch, reader = watch_of(lag(7, 10, 0.1))
    await watch.measure()
    data = reader.get_metrics_data()
    assert data is not None
    metrics = {metric.name: metric for metric in data.resource_metrics[0].scope_metrics[0].metrics}
    (point,) = metrics["millwright.recorder.lag"].data.data_points
    assert getattr(point, "value", None) == 7
    assert {"millwright.recorder.lag_age", "millwright.stream.size"} <= set(metrics)


async def test_stream_above_the_limit_is_a_problem_and_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    large = lag(0, 100, 0, 3_000_000)
    watch, _ = watch_of(lag(0, 100, 0, 1_000_000), large, large, large, lag(0, 100, 0, 1_000_000), large)
    for _ in range(3):
        await watch.measure()
    (line,) = caplog.messages
    assert line.startswith("the stream holds 100 messages of 3 MB: it should be less than 2 MB")
    assert await watch.problem() == line
    assert await watch.problem() is None
    await watch.measure()
    assert caplog.messages == [line]  # it had not been measured below the limit in between


def test_lag_is_formatted_in_one_line() -> None:
    assert str(lag(0, 100, 0)) == "recorder lag: 0 of 100"
