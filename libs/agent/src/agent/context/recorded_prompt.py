"""Restores the prompt of a recorded model call from the event log alone."""

from collections.abc import Sequence

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.models.conversation import Message

from agent.context.prompt_renderer import PromptRenderer
from agent.context.stand_ins import JournalLine, StandIns, Summary, summary_of_call
from agent.journal.entries import entry_line
from agent.journal.reader import journal_of
from agent.journal.timeline import Timeline
from agent.model.thoughts import without_thoughts


def prompt_of_call(call: ModelCalled, events: Sequence[Event]) -> tuple[Message, ...]:
    """Return the prompt of this call; `events` are the run's, in order. Raise `UnknownPromptRuleError`."""
    if call.purpose == "memory":
        return call.new_messages
    journal = journal_of(events, call.role)
    recorded = [each.message for each in journal.timeline.messages if each.step < call.step and not each.unusable]
    earlier = [without_thoughts(message) for message in recorded]
    lines = _journal_lines(journal.timeline, journal.entries, call.step)
    stand_ins = StandIns(journal_lines=lines, summary=_summary(call, events))
    return PromptRenderer((*earlier, *call.new_messages), stand_ins).render(call.condensed)


def _journal_lines(timeline: Timeline, entries: Sequence[JournalEntryAdded], step: int) -> tuple[JournalLine, ...]:
    """Return the journal as it was at this step's call: an entry ends before the reply that it is written with."""
    begin = next(each.from_token for each in timeline.messages if each.step == step)
    replies = [each for each in timeline.messages if each.message.author == "assistant" and not each.unusable]

    def last_step(entry: JournalEntryAdded) -> int:
        return sum(reply.to_token <= entry.to_token for reply in replies)

    return tuple(
        JournalLine(number=entry.number, last_step=last_step(entry), text=entry_line(entry))
        for entry in entries
        if entry.rule and entry.to_token <= begin
    )


def _summary(call: ModelCalled, events: Sequence[Event]) -> Summary:
    """Return the newest summary before this call that its prompt shows."""
    own = [each for each in events if isinstance(each, ModelCalled) and each.role == call.role]
    found = [each for each in own if each.purpose == "memory" and each.step <= call.step]
    summaries = [summary for each in sorted(found, key=lambda each: each.step) if (summary := summary_of_call(each))]
    fitting = [each for each in summaries if each.steps == call.condensed.recollected_steps]
    return fitting[-1] if fitting else Summary()
