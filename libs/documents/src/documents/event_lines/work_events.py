"""Lines of the events inside a run: model calls, kernels, cells, files, catalog, simulation, rendering."""

from contracts.events import catalog, conversation, perception, quote, rendering, session, simulation
from contracts.models.submission import Refusal, Submission

from documents.event_lines.event_line import (
    EventLine,
    describe,
    register_failures,
    result_severity,
    result_text,
    spaced,
)
from documents.event_lines.text import counted, headline


@describe.register
def _(event: conversation.ModelCalled) -> EventLine:
    tokens = f"{event.usage.input_tokens} → {event.usage.output_tokens} tokens"
    return EventLine(f"step {event.step}: {event.model} answered, {tokens}, {event.usage.duration_s:.1f} s", "detail")


@describe.register
def _(event: conversation.ReplyLost) -> EventLine:
    tokens = f"about {event.usage.input_tokens} → {event.usage.output_tokens} tokens"
    return EventLine(f"reply {event.attempt} of step {event.step} lost ({tokens}): {event.problem}", "failure")


@describe.register
def _(event: conversation.ReplyRejected) -> EventLine:
    return EventLine(f"reply {event.attempt} rejected: {event.problem}", "failure")


@describe.register
def _(event: conversation.JournalEntryAdded) -> EventLine:
    span = f" [tokens {event.from_token}-{event.to_token}]" if event.to_token > event.from_token else ""
    return EventLine(f"journal {event.number} ({event.about}){span}: {event.intent} → {event.result}", "detail")


@describe.register
def _(_event: session.SessionRequested) -> EventLine:
    return EventLine("opening kernel", "detail")


@describe.register
def _(event: session.SessionOpened) -> EventLine:
    return EventLine(
        f"kernel ready in {event.ready_s:.1f} s, {counted(len(event.files), 'file')} in the workspace", "success"
    )


@describe.register
def _(event: session.SessionClosed) -> EventLine:
    return EventLine(f"kernel closed: {spaced(event.reason)}", "detail")


@describe.register
def _(event: session.CellRequested) -> EventLine:
    return EventLine(f"cell: {event.purpose}")


@describe.register
def _(event: session.CellCompleted) -> EventLine:
    observation = event.observation
    if observation.error is not None:
        error = observation.error
        location = f" in line {error.line}" if error.line else ""
        return EventLine(f"cell {observation.status}: {error.type}{location}: {error.message}", "failure")
    if event.files is not None:
        return EventLine(f"cell done in {observation.elapsed_s:.1f} s: submitted the benchmark's files", "success")
    match event.ending:
        case Submission():
            return EventLine(f"cell done in {observation.elapsed_s:.1f} s: submitted for review", "success")
        case Refusal(proof=proof):
            return EventLine(f"cell refuses the plan: {proof}", "failure")
        case None:
            output = headline(observation.output)
            text = f"cell {observation.status} in {observation.elapsed_s:.1f} s: {output}"
            return EventLine(text, "success" if observation.status == "ok" else "failure")


@describe.register
def _(event: session.FileWriteRequested) -> EventLine:
    return EventLine(f"write {event.path}, {counted(len(event.text.splitlines()), 'line')}", "detail")


@describe.register
def _(event: session.FileEditRequested) -> EventLine:
    return EventLine(f"edit {event.path}", "detail")


@describe.register
def _(event: session.FileViewRequested) -> EventLine:
    return EventLine(f"view {event.path}", "detail")


@describe.register
def _(event: session.FileWritten) -> EventLine:
    if not event.findings:
        return EventLine(f"wrote {event.path}, {counted(event.size_bytes, 'byte')}", "success")
    first = event.findings[0]
    text = f"wrote {event.path}, {counted(len(event.findings), 'lint finding')}: line {first.line}: {first.message}"
    return EventLine(text, "failure")


@describe.register
def _(event: session.FileViewed) -> EventLine:
    return EventLine(
        f"viewed {event.path}, {len(event.text.splitlines())} of {counted(event.total_lines, 'line')}", "detail"
    )


@describe.register
def _(event: session.FileRefused) -> EventLine:
    return EventLine(f"{event.path} refused ({spaced(event.reason)}): {event.detail}", "failure")


@describe.register
def _(event: catalog.CatalogSearchRequested) -> EventLine:
    return EventLine(f"catalog search: {event.words}", "detail")


@describe.register
def _(event: conversation.ToolAnswered) -> EventLine:
    return EventLine(f"{spaced(event.tool)}{' failed' if event.has_failed else ''}", "detail")


@describe.register
def _(event: catalog.CatalogQueried) -> EventLine:
    return EventLine(f"catalog query{' refused' if event.was_refused else ''}: {event.sql}", "detail")


@describe.register
def _(event: catalog.CatalogSearched) -> EventLine:
    found = ", ".join(f"{part.id} ({part.unit_price_usd:.2f} USD)" for part in event.found)
    return EventLine(f"catalog found {found or 'nothing'}")


@describe.register
def _(event: simulation.SimulationRequested) -> EventLine:
    return EventLine(f"preview with {counted(event.replicas, 'replica')}", "detail")


@describe.register
def _(event: simulation.SimulationCompleted) -> EventLine:
    return EventLine(f"preview: {result_text(event.result)}", result_severity(event.result))


@describe.register
def _(_event: simulation.FilmRequested) -> EventLine:
    return EventLine("film requested", "detail")


@describe.register
def _(event: simulation.FilmCompleted) -> EventLine:
    return EventLine(f"film ready, with {counted(len(event.media.key_frames), 'key frame')}", "success")


@describe.register
def _(event: rendering.RenderRequested) -> EventLine:
    return EventLine(f"rendering: {', '.join(event.views)}", "detail")


@describe.register
def _(event: rendering.RenderCompleted) -> EventLine:
    return EventLine(f"rendered, {event.width_px} x {event.height_px} pixels", "detail")


@describe.register
def _(event: perception.PerceptionRequested) -> EventLine:
    return EventLine(f"perception: {spaced(event.operation.kind)}", "detail")


@describe.register
def _(event: perception.PerceptionCompleted) -> EventLine:
    return EventLine(f"{spaced(event.result.kind)} by the {event.backend} in {event.duration_ms:.0f} ms", "detail")


@describe.register
def _(event: quote.QuoteRequested) -> EventLine:
    return EventLine(f"quote requested: {event.name}, {counted(event.file.size_bytes, 'byte')}")


@describe.register
def _(event: quote.QuoteCompleted) -> EventLine:
    if not event.parts:
        return EventLine(f"the file cannot be quoted: it {event.problem}", "failure")
    can_be_made = event.verdict == "makeable"
    text = f"{counted(event.parts, 'part')} quoted: {'they can' if can_be_made else 'not all can'} be made"
    return EventLine(text, "success" if can_be_made else "failure")


register_failures(
    {
        session.SessionFailed: "kernel did not open",
        catalog.CatalogSearchFailed: "catalog search failed",
        simulation.SimulationFailed: "preview failed",
        simulation.FilmFailed: "filming failed",
        rendering.RenderFailed: "rendering failed",
        perception.PerceptionFailed: "perception failed",
    }
)
