"""What a role and its model say."""

from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected

from cli.formatting.event_line import Gist, tell


@tell.register
def _(event: ModelCalled) -> Gist:
    tokens = f"{event.usage.input_tokens} → {event.usage.output_tokens} tokens"
    return Gist(f"step {event.step}: {event.model} answered, {tokens}, {event.usage.duration_s:.1f} s", "quiet")


@tell.register
def _(event: ReplyRejected) -> Gist:
    return Gist(f"reply {event.attempt} could not be read: {event.problem}", "bad")


@tell.register
def _(event: JournalEntryAdded) -> Gist:
    span = f" [tokens {event.from_token}-{event.to_token}]" if event.to_token > event.from_token else ""
    return Gist(f"journal {event.number} ({event.about}){span}: {event.intent} → {event.result}", "quiet")
