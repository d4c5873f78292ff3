"""What the server says of deliveries that it ended without us: kept in a small stream, and said aloud as letters.

Consumers are declared such that the server never gives up, but hands can change a consumer or end a delivery.
"""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import logging
from collections.abc import Mapping, Sequence
from typing import Literal

from contracts.envelope import Request
from contracts.publishers import SERVICES
from contracts.registry import UnknownSubjectError, class_at
from nats.js import JetStreamContext
from nats.js.api import RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import NotFoundError
from pydantic import BaseModel, ConfigDict, ValidationError

from chassis.delivery.dead_letter import Cause, FailedMessage, dead_letter
from chassis.delivery.raw_reader import RawMessage
from chassis.recovery.retry import retry
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.subjects import STREAM, durable_name

ADVISORY_STREAM = f"{STREAM}_ADVISORIES"

Ending = Literal["exhausted", "terminated"]

ADVISORY_SUBJECTS: Mapping[Ending, str] = {
    "exhausted": f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{STREAM}.>",
    "terminated": f"$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.{STREAM}.>",
}
"""Where the server says so."""

SAYINGS: Mapping[Ending, str] = {
    "exhausted": "the server gave it up, since somebody limited how often the consumer may deliver,",
    "terminated": "somebody ended its delivery",
}

NO_MESSAGE_FOUND = 10037

_log = logging.getLogger(__name__)


class Advisory(BaseModel):
    """What we need of the server's words."""

    model_config = ConfigDict(extra="ignore")

    consumer: str
    stream_seq: int
    deliveries: int


async def ensure_advisory_stream(js: JetStreamContext) -> list[str]:
    """Create the stream of advisories, or bring it up to date; return, in words, whether it was created.

    Each advisory stays in it until somebody has dealt with it.
    """
    config = StreamConfig(
        name=ADVISORY_STREAM,
        description="Deliveries that the server ended; the recorder turns them into MessageAbandoned.",
        subjects=list(ADVISORY_SUBJECTS.values()),
        storage=StorageType.FILE,
        retention=RetentionPolicy.WORK_QUEUE,
    )

    async def ensure() -> list[str]:
        try:
            await js.update_stream(config)
        except NotFoundError:
            await js.add_stream(config)
            return [f"stream {ADVISORY_STREAM} was created"]
        return []

    return await retry(ensure, f"stream {ADVISORY_STREAM}")


class Advisories:
    """Turns advisories into letters. An outcome or a letter that stands already wins, as the first stored always does.

    The letter speaks for the service whose consumer it is.
    """

    def __init__(self, bus: JetStreamBus) -> None:
        self._bus = bus

    async def tell(self, ending: Ending, batch: Sequence[RawMessage]) -> None:
        """Say aloud what a batch of advisories of one kind says."""
        for message in batch:
            await self._say(message, ending)

    async def _say(self, message: RawMessage, ending: Ending) -> None:
        try:
            advisory = Advisory.model_validate_json(message.data)
        except ValidationError as error:
            _log.error("an advisory cannot be read and is passed over: %s", error)
            return
        subject = await self._subject_at(advisory.stream_seq)
        if subject is None:
            return
        given_up = FailedMessage(
            subject, advisory.stream_seq, advisory.consumer, _owes_outcome(advisory.consumer, subject)
        )
        cause = Cause(ending, f"{SAYINGS[ending]} after {advisory.deliveries} deliveries")
        letter = dead_letter(given_up, cause, _service_of(advisory.consumer))
        if letter is not None and await self._bus.publish(letter):
            _log.error("%s has lost %s (%s): %s", advisory.consumer, subject, ending, cause.detail)

    async def _subject_at(self, sequence: int) -> str | None:
        """Return where the message lies; None when it was purged, as what has ended and is recorded is."""

        async def look() -> str | None:
            try:
                return (await self._bus.js.get_msg(STREAM, seq=sequence)).subject
            except NotFoundError as missing:
                if missing.err_code != NO_MESSAGE_FOUND:
                    raise
                return None

        return await retry(look, f"message {sequence} of stream {STREAM}")


def _owes_outcome(consumer: str, subject: str) -> bool:
    """Tell whether the consumer's service owed an outcome for the message."""
    try:
        event_class = class_at(subject)
    except UnknownSubjectError:
        return False
    if not issubclass(event_class, Request):
        return False
    return "-attends-" in consumer or consumer == durable_name(event_class.owner, "answers", event_class)


def _service_of(consumer: str) -> str:
    """Return the service that a durable is named after; the consumer itself when it is nobody's."""
    return next((service for service in SERVICES if consumer.startswith(f"{service}-")), consumer)
