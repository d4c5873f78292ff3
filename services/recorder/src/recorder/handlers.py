"""The recorder's work."""

from collections.abc import Sequence

from chassis.recording import Recorded
from store.log import Entry, EventLog, Unreadable

from recorder.reading import read


async def record(batch: Sequence[Recorded], log: EventLog) -> None:
    """Write a batch into the log; when this returns, the database has it."""
    messages = [read(message) for message in batch]
    await log.append(
        [message for message in messages if isinstance(message, Entry)],
        [message for message in messages if isinstance(message, Unreadable)],
    )
