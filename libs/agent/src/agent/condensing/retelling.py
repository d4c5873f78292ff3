"""What a model saw, told from the log alone."""

from collections.abc import Iterable

from contracts.conversation import Message, ModelCalled, ReplyRejected
from contracts.envelope import Event

from agent.condensing.prompting import prompt_of


def seen_in(call: ModelCalled, events: Iterable[Event]) -> tuple[Message, ...]:
    """Return the prompt of this call; `events` are the run's, in order. Raise `UnknownRuleError`."""
    own = [event for event in events if event.role == call.role]
    unread = {event.causation_id for event in own if isinstance(event, ReplyRejected)}
    said: list[Message] = []
    for earlier in own:
        if isinstance(earlier, ModelCalled) and earlier.step < call.step:
            said += earlier.new_messages
            said += [] if earlier.causation_id in unread else [earlier.reply]
    return prompt_of((*said, *call.new_messages), call.condensed)
