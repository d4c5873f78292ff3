"""What was given up."""

from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import words


@describe.register
def _(event: WorkAbandoned) -> EventLine:
    return EventLine(f"gives up ({words(event.reason)}): {event.detail}", "bad")


@describe.register
def _(event: MessageAbandoned) -> EventLine:
    return EventLine(f"{event.consumer} gave a message up ({words(event.reason)}): {event.detail}", "bad")
