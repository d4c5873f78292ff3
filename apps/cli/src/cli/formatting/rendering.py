"""Pictures."""

from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import words


@tell.register
def _(event: RenderRequested) -> Gist:
    return Gist(f"picture wanted: {', '.join(event.views)}", "quiet")


@tell.register
def _(event: RenderCompleted) -> Gist:
    return Gist(f"picture drawn, {event.width_px} x {event.height_px} pixels", "quiet")


@tell.register
def _(event: RenderFailed) -> Gist:
    return Gist(f"no picture ({words(event.reason)}): {event.detail}", "bad")
