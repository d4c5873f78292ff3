"""The recorder's work."""

from collections.abc import Sequence

from chassis.bus import Bus
from chassis.delivery.raw_reader import RawMessage
from store.log import EventLog, LogEntry

from recorder.dead_letters import letter
from recorder.parser import Misread, read


async def record(batch: Sequence[RawMessage], log: EventLog, bus: Bus) -> None:
    """Write a batch into the log; when this returns, the database has it, and what nobody could read is said aloud."""
    readings = [read(message) for message in batch]
    misread = [reading for reading in readings if isinstance(reading, Misread)]
    await log.append(
        [reading for reading in readings if isinstance(reading, LogEntry)], [each.kept for each in misread]
    )
    for each in misread:
        said = letter(each)
        if said is not None:
            await bus.publish(said)
