"""Previews."""

from contracts.simulation import SimulationCompleted, SimulationFailed, SimulationRequested

from cli.telling.gists import Gist, tell
from cli.telling.phrases import mood_of, success, words


@tell.register
def _(event: SimulationRequested) -> Gist:
    return Gist(f"preview with {event.replicas} replica(s)", "quiet")


@tell.register
def _(event: SimulationCompleted) -> Gist:
    return Gist(f"preview: {success(event.result)}", mood_of(event.result))


@tell.register
def _(event: SimulationFailed) -> Gist:
    return Gist(f"preview impossible ({words(event.reason)}): {event.detail}", "bad")
