"""What a model saw, told from the log alone."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.models.conversation import Message

from agent.context.prompt_renderer import prompt_of
from agent.context.stand_ins import Memories, Noted, Summary, summary_in
from agent.journal.entries import entry_line
from agent.journal.reader import journal_of
from agent.journal.timeline import Timeline


def prompt_of_call(call: ModelCalled, events: Sequence[Event]) -> tuple[Message, ...]:
    """Return the prompt of this call; `events` are the run's, in order. Raise `UnknownRuleError`."""
    if call.purpose == "memory":
        return call.new_messages
    journal = journal_of(events, call.role)
    earlier = [each.message for each in journal.timeline.messages if each.step < call.step and not each.unusable]
    noted = _noted(journal.timeline, journal.entries, call.step)
    memories = Memories(noted=noted, summary=_summary(call, events))
    return prompt_of((*earlier, *call.new_messages), call.condensed, memories)


def _noted(timeline: Timeline, entries: Sequence[JournalEntryAdded], step: int) -> tuple[Noted, ...]:
    """Return what stood in the journal when this step's model was called: an entry ends before the reply it is with."""
    begin = next(each.from_token for each in timeline.messages if each.step == step)
    replies = [each for each in timeline.messages if each.message.author == "assistant" and not each.unusable]

    def last_step(entry: JournalEntryAdded) -> int:
        return sum(reply.to_token <= entry.to_token for reply in replies)

    return tuple(
        Noted(number=entry.number, to_step=last_step(entry), words=entry_line(entry))
        for entry in entries
        if entry.rule and entry.to_token <= begin
    )


def _summary(call: ModelCalled, events: Sequence[Event]) -> Summary:
    """Return what was summed up last before this call, and stands in its prompt."""
    own = [each for each in events if isinstance(each, ModelCalled) and each.role == call.role]
    found = [each for each in own if each.purpose == "memory" and each.step <= call.step]
    summaries = [summary for each in sorted(found, key=lambda each: each.step) if (summary := summary_in(each))]
    fitting = [each for each in summaries if each.steps == call.condensed.recollected_steps]
    return fitting[-1] if fitting else Summary()
