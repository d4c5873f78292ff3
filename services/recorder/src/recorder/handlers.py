"""The recorder's handler: records each batch of messages, and publishes dead letters for unreadable ones."""

from collections.abc import Iterator, Sequence

from chassis.bus import Bus
from chassis.delivery.batch_reader import RawMessage
from chassis.delivery.dead_letter import FailedMessage, dead_letter
from chassis.stream.lag import RECORDER
from chassis.subjects import recording_durable_name
from contracts.events.dead_letters import MessageAbandoned
from contracts.registry import UnknownSubjectError, class_at
from store.log import EventLog, LogEntry

from recorder.event_metrics import EventMetrics, RecordedEvent
from recorder.parser import ParseFailure, parse


async def record(batch: Sequence[RawMessage], log: EventLog, bus: Bus, metrics: EventMetrics) -> None:
    """Write a batch into the event log; when it returns, the database has committed it."""
    parsed = [parse(message) for message in batch]
    entries = [each for each in parsed if isinstance(each, LogEntry)]
    failures = [each for each in parsed if isinstance(each, ParseFailure)]
    await log.append(entries, [failure.message for failure in failures])
    metrics.observe(recorded_events(batch, parsed), len(failures))
    for failure in failures:
        letter = _dead_letter(failure)
        if letter is not None:
            await bus.publish(letter)


def recorded_events(batch: Sequence[RawMessage], parsed: Sequence[LogEntry | ParseFailure]) -> Iterator[RecordedEvent]:
    """Yield the events of a batch with their place in the stream."""
    for message, entry in zip(batch, parsed, strict=True):
        if isinstance(entry, LogEntry):
            yield RecordedEvent(entry.event, message.sequence, message.time)


def _dead_letter(failure: ParseFailure) -> MessageAbandoned | None:
    """Return the dead letter; None if a service consumes the class of event, for that service publishes it."""
    if _is_consumed(failure.message.subject):
        return None
    abandoned = FailedMessage(
        failure.message.subject, failure.message.stream_sequence, recording_durable_name(RECORDER)
    )
    return dead_letter(abandoned, failure.cause, RECORDER)


def _is_consumed(subject: str) -> bool:
    try:
        return not class_at(subject).unconsumed
    except UnknownSubjectError:
        return False
