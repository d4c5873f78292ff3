"""What was given up."""

from contracts.events.dead_letters import MessageAbandoned, WorkAbandoned

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import words


@tell.register
def _(event: WorkAbandoned) -> Gist:
    return Gist(f"gives up ({words(event.reason)}): {event.detail}", "bad")


@tell.register
def _(event: MessageAbandoned) -> Gist:
    return Gist(f"{event.consumer} gave a message up ({words(event.reason)}): {event.detail}", "bad")
