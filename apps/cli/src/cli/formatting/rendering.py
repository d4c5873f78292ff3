"""Pictures."""

from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import words


@describe.register
def _(event: RenderRequested) -> EventLine:
    return EventLine(f"picture wanted: {', '.join(event.views)}", "quiet")


@describe.register
def _(event: RenderCompleted) -> EventLine:
    return EventLine(f"picture drawn, {event.width_px} x {event.height_px} pixels", "quiet")


@describe.register
def _(event: RenderFailed) -> EventLine:
    return EventLine(f"no picture ({words(event.reason)}): {event.detail}", "bad")
