"""What a role and its model say."""

from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected

from cli.formatting.event_line import EventLine, describe


@describe.register
def _(event: ModelCalled) -> EventLine:
    tokens = f"{event.usage.input_tokens} → {event.usage.output_tokens} tokens"
    return EventLine(f"step {event.step}: {event.model} answered, {tokens}, {event.usage.duration_s:.1f} s", "quiet")


@describe.register
def _(event: ReplyRejected) -> EventLine:
    return EventLine(f"reply {event.attempt} could not be read: {event.problem}", "bad")


@describe.register
def _(event: JournalEntryAdded) -> EventLine:
    span = f" [tokens {event.from_token}-{event.to_token}]" if event.to_token > event.from_token else ""
    return EventLine(f"journal {event.number} ({event.about}){span}: {event.intent} → {event.result}", "quiet")
