"""One trace from a request to its verdict."""

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

from chassis.app import App
from contracts.envelope import Event
from contracts.session import CellRequested, FileRefused, FileWriteRequested
from contracts.simulation import SimulationFailed, SimulationRequested
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

MakeApp = Callable[..., App]
Ask = Callable[..., SimulationRequested]
Refuse = Callable[..., SimulationFailed]


async def test_one_trace_spans_publishing_hearing_asking_and_attending(
    make_app: MakeApp, ask_for: Ask, refuse: Refuse, run_id: UUID
) -> None:
    exporter = InMemorySpanExporter()

    def provider() -> TracerProvider:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        return provider

    asker, simulator = make_app("engineer", provider()), make_app("sim-worker", provider())
    attendant, untraced = make_app("cad-worker", provider()), make_app("critic")

    async def on_request(event: SimulationRequested) -> Sequence[Event]:
        return [FileWriteRequested.deciding(event, "engineer", 1, path="a.py", text="")] if event.seed == 1 else []

    async def write(request: FileWriteRequested) -> Event:
        await attendant.bus.ask(ask_for(seed=2))
        return FileRefused.answering(request, "cad-worker", path="a.py", reason="read_only", detail="")

    async def simulate(request: SimulationRequested) -> Event:
        return refuse(request)

    async def on_refusal(event: FileRefused) -> Sequence[Event]:
        return [CellRequested.deciding(event, "engineer", 2, purpose="", code="")]

    asker.hears(SimulationRequested, on_request)
    simulator.answers(SimulationRequested, simulate)
    untraced.hears(FileRefused, on_refusal)
    for app in (asker, simulator, attendant, untraced):
        await app.start()
    await attendant.attend(run_id, "engineer", {FileWriteRequested: write})

    await asker.bus.publish(ask_for(seed=1))
    while not any(isinstance(event, CellRequested) for event in await asker.bus.history(run_id)):
        await asyncio.sleep(0.02)
    for app in (untraced, attendant, simulator, asker):
        await app.stop()

    spans = exporter.get_finished_spans()
    names = {span.name for span in spans}
    assert {"engineer on_request", "cad-worker write", "sim-worker simulate"} <= names
    assert len({_trace(span) for span in spans}) == 1
    assert {"critic on_refusal"}.isdisjoint(names)


def _trace(span: ReadableSpan) -> int:
    assert span.context is not None
    return span.context.trace_id
