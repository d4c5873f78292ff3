"""Previews and films."""

from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import mood_of, success, words


@tell.register
def _(event: SimulationRequested) -> Gist:
    return Gist(f"preview with {event.replicas} replica(s)", "quiet")


@tell.register
def _(event: SimulationCompleted) -> Gist:
    return Gist(f"preview: {success(event.result)}", mood_of(event.result))


@tell.register
def _(event: SimulationFailed) -> Gist:
    return Gist(f"preview impossible ({words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: FilmRequested) -> Gist:
    return Gist(f"run {event.trajectory_digest[:12]} is to be filmed", "quiet")


@tell.register
def _(event: FilmCompleted) -> Gist:
    return Gist(f"film and {len(event.media.key_frames)} pictures of its moments", "good")


@tell.register
def _(event: FilmFailed) -> Gist:
    return Gist(f"no film ({words(event.reason)}): {event.detail}", "bad")
