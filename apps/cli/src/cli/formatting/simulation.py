"""Previews and films."""

from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import mood_of, success, words


@describe.register
def _(event: SimulationRequested) -> EventLine:
    return EventLine(f"preview with {event.replicas} replica(s)", "quiet")


@describe.register
def _(event: SimulationCompleted) -> EventLine:
    return EventLine(f"preview: {success(event.result)}", mood_of(event.result))


@describe.register
def _(event: SimulationFailed) -> EventLine:
    return EventLine(f"preview impossible ({words(event.reason)}): {event.detail}", "bad")


@describe.register
def _(event: FilmRequested) -> EventLine:
    return EventLine(f"run {event.trajectory_digest[:12]} is to be filmed", "quiet")


@describe.register
def _(event: FilmCompleted) -> EventLine:
    return EventLine(f"film and {len(event.media.key_frames)} pictures of its moments", "good")


@describe.register
def _(event: FilmFailed) -> EventLine:
    return EventLine(f"no film ({words(event.reason)}): {event.detail}", "bad")
