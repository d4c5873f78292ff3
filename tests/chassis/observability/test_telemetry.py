"""Metrics and log lines of an app: which are written, with what, and what happens without a reader of them."""

import asyncio
import logging
import re
import socket
from uuid import UUID

import pytest
from chassis.app import App
from chassis.errors import CannotStartError
from chassis.observability.declarations import (
    ATTEMPTS_FAILED,
    HANDLER_DURATION,
    LEASE_TAKEOVERS,
    OUTAGES_ENDED,
    QUEUE_DEPTH,
    STREAM_SIZE,
)
from chassis.observability.logs import RunFormatter
from chassis.observability.metrics import Meters
from chassis.observability.telemetry import consumer_label
from chassis.observability.tracing import TracePropagation
from chassis.subjects import thread_durable_name
from contracts.envelope import Event
from contracts.events.simulation import SimulationRequested
from httpx import AsyncClient

from tests.chassis.fixture_types import MakeApp, MakeRequest
from tests.chassis.outcomes import outcome_of

TRACE = "0af7651916cd43dd8448eb211c80319c"


class ProviderAwayError(Exception):
    """An outage."""


async def _scrape(app: App) -> str:
    assert app.metrics_url is not None
    async with AsyncClient(trust_env=False) as http:
        return (await http.get(app.metrics_url)).raise_for_status().text


def _value(text: str, metric: str, *labels: str) -> float:
    """Return the value of the only series of a metric that has these labels."""
    of_metric = [line for line in text.splitlines() if re.match(rf"{metric}[ {{]", line)]
    (line,) = [line for line in of_metric if all(each in line for each in labels)]
    return float(line.rsplit(" ", 1)[1])


async def test_failed_attempts_and_outages_of_a_handler_are_counted(
    make_app: MakeApp, make_request: MakeRequest
) -> None:
    app = make_app("sim-worker", metrics_port=0, telemetry_every_s=0.1)
    problems: list[Exception] = [ValueError("once"), ProviderAwayError("away")]

    async def simulate(request: SimulationRequested) -> Event:
        if problems:
            raise problems.pop(0)
        return outcome_of(request)

    app.retries_on(ProviderAwayError)
    app.answers(SimulationRequested, simulate)
    await app.start()
    await app.bus.ask(make_request())
    text = await _scrape(app)
    consumer = 'millwright_consumer="sim-worker-simulation-requested"'
    assert _value(text, ATTEMPTS_FAILED.prometheus_name, consumer, 'error_type="ValueError"') == 1
    assert _value(text, ATTEMPTS_FAILED.prometheus_name, consumer, 'error_type="none"') == 0
    assert _value(text, OUTAGES_ENDED.prometheus_name, 'error_type="ProviderAwayError"') == 1
    count = f"{HANDLER_DURATION.prometheus_name}_count"
    assert _value(text, count, 'error_type="none"') == 1
    assert _value(text, count, 'error_type="ValueError"') == 1
    assert _value(text, QUEUE_DEPTH.prometheus_name, consumer) == 0


async def test_port_that_is_taken_is_named(make_app: MakeApp) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CannotStartError, match=f"127.0.0.1:{port} .*METRICS_PORT"):
            await make_app("planner", metrics_port=port).start()


async def test_stopped_app_serves_no_metrics_and_starts_elsewhere(make_app: MakeApp) -> None:
    for _ in range(2):
        app = make_app("planner", metrics_port=0)
        await app.start()
        assert 'service_name="planner"' in await _scrape(app)
        await app.stop()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.to_thread(socket.create_connection, ("127.0.0.1", _port(app)), 1.0)


def _port(app: App) -> int:
    assert app.metrics_url is not None
    return int(app.metrics_url.rsplit(":", 1)[1].split("/")[0])


async def test_app_without_a_reader_measures_nothing(make_app: MakeApp) -> None:
    app = make_app("planner")
    await app.start()
    assert not app.meters.is_enabled
    assert app.metrics_url is None
    assert await app.health() == []


@pytest.mark.parametrize("attributes", [{}, {"millwright.consumer": "x", "other": "y"}, {"other": "y"}])
def test_attributes_that_are_not_declared_are_refused(attributes: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"millwright\.queue\.depth has the attributes \['millwright\.consumer'\]"):
        Meters("planner").measure(QUEUE_DEPTH)(1, attributes)


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (STREAM_SIZE, "millwright_stream_size_bytes"),
        (LEASE_TAKEOVERS, "millwright_lease_takeovers_total"),
        (HANDLER_DURATION, "millwright_handler_duration_seconds"),
    ],
)
def test_name_in_prometheus_has_unit_and_kind(metric: object, name: str) -> None:
    assert getattr(metric, "prometheus_name", None) == name


def test_consumers_of_threads_share_a_label(run_id: UUID) -> None:
    assert consumer_label(thread_durable_name("cad-worker", run_id, "engineer")) == "cad-worker-attends"
    assert consumer_label("planner-hears-run-succeeded") == "planner-hears-run-succeeded"


def test_line_within_a_message_names_run_and_trace(run_id: UUID) -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "at work", None, None)
    formatter = RunFormatter()
    assert formatter.format(record).endswith("INFO x: at work")
    subject = f"mw.cell.requested.{run_id}.engineer.{run_id}"
    with TracePropagation().carried_by(subject, {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"}):
        assert formatter.format(record).endswith(f"INFO x: at work (run_id={run_id} trace_id={TRACE})")
    with TracePropagation().carried_by("mw.of.nothing", {}):
        assert formatter.format(record).endswith("INFO x: at work")
