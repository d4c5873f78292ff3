"""One trace from a request to its verdict."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# nats-py leaves headers and some of its options untyped.

from collections.abc import Sequence
from uuid import UUID

import pytest
from chassis.app import App
from chassis.subjects import STREAM
from contracts.envelope import Event, answering, deciding
from contracts.events.session import FileRefused, FileWriteRequested
from contracts.events.simulation import SimulationRequested
from nats.js import JetStreamContext
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.chassis.fixture_types import MakeApp, MakeRequest
from tests.chassis.outcomes import simulate


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def make_traced(make_app: MakeApp, exporter: InMemorySpanExporter) -> MakeApp:
    """Apps with a tracer provider each, as in separate processes."""

    def make(name: str) -> App:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        return make_app(name, provider)

    return make


async def test_publishing_and_handling_share_a_trace(
    make_traced: MakeApp, exporter: InMemorySpanExporter, make_request: MakeRequest
) -> None:
    asker, simulator = make_traced("engineer"), make_traced("sim-worker")
    simulator.answers(SimulationRequested, simulate)
    await asker.start()
    await simulator.start()
    await asker.bus.ask(make_request())
    await simulator.stop()
    assert "sim-worker simulate" in _names(exporter)
    assert len(_traces(exporter)) == 1


async def test_thread_and_request_inside_a_handler_share_a_trace(
    make_traced: MakeApp, exporter: InMemorySpanExporter, make_request: MakeRequest, run_id: UUID
) -> None:
    asker, simulator, host = make_traced("engineer"), make_traced("sim-worker"), make_traced("cad-worker")

    async def write(request: FileWriteRequested) -> Event:
        await host.bus.ask(make_request())
        return FileRefused(**answering(request, "cad-worker"), path="a.py", reason="read_only", detail="")

    simulator.answers(SimulationRequested, simulate)
    for app in (asker, simulator, host):
        await app.start()
    await host.serve_thread(run_id, "engineer", {FileWriteRequested: write})
    await asker.bus.ask(FileWriteRequested(**deciding(make_request(), "engineer", 1), path="a.py", text=""))
    await host.stop()
    await simulator.stop()
    assert {"cad-worker write", "sim-worker simulate"} <= _names(exporter)
    assert len(_traces(exporter)) == 1


async def test_service_without_exporter_passes_the_trace_on(
    make_app: MakeApp, make_traced: MakeApp, exporter: InMemorySpanExporter, make_request: MakeRequest
) -> None:
    async def on_request(event: SimulationRequested) -> Sequence[Event]:
        return [FileWriteRequested(**deciding(event, "engineer", 1), path="a.py", text="")]

    async def write(request: FileWriteRequested) -> Event:
        return FileRefused(**answering(request, "cad-worker"), path="a.py", reason="read_only", detail="")

    asker, silent, host = make_traced("planner"), make_app("engineer"), make_traced("cad-worker")
    silent.subscribes(SimulationRequested, on_request)
    host.answers(FileWriteRequested, write)
    for app in (asker, silent, host):
        await app.start()
    request = make_request()
    await asker.bus.publish(request)
    async for event in asker.bus.follow(request.run_id):
        if isinstance(event, FileRefused):
            break
    await host.stop()
    writing = next(span for span in exporter.get_finished_spans() if span.name == "cad-worker write")
    asking = next(span for span in exporter.get_finished_spans() if "simulation.requested" in span.name)
    assert _trace(writing) == _trace(asking)


async def test_services_without_exporter_start_one_trace_per_request(
    make_app: MakeApp, make_request: MakeRequest, js: JetStreamContext
) -> None:
    asker, simulator = make_app("engineer"), make_app("sim-worker")
    simulator.answers(SimulationRequested, simulate)
    await asker.start()
    await simulator.start()
    traces: list[str] = []
    for seed in range(2):
        outcome = await asker.bus.ask(request := make_request(seed=seed))
        asked, answered = [await _traceparent(js, event) for event in (request, outcome)]
        assert asked == answered
        traces.append(asked)
    assert traces[0] != traces[1]


async def _traceparent(js: JetStreamContext, event: Event) -> str:
    message = await js.get_last_msg(STREAM, event.full_subject)
    version, trace, _, flags = str((message.headers or {})["traceparent"]).split("-")
    assert (version, flags) == ("00", "01")
    return trace


def _names(exporter: InMemorySpanExporter) -> set[str]:
    return {span.name for span in exporter.get_finished_spans()}


def _traces(exporter: InMemorySpanExporter) -> set[int]:
    return {_trace(span) for span in exporter.get_finished_spans()}


def _trace(span: ReadableSpan) -> int:
    assert span.context is not None
    return span.context.trace_id
