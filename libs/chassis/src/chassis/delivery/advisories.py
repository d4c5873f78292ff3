"""Advisories: the server's reports of deliveries that it ended itself, turned into dead letters.

The consumers are declared so that the server never gives a message up. An operator can still change a consumer, or end
a delivery by hand.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Literal

from contracts.envelope import SERVICES, Request
from contracts.registry import UnknownSubjectError, class_at
from nats.js.api import RetentionPolicy, StorageType, StreamConfig
from pydantic import BaseModel, ConfigDict, ValidationError

from chassis.delivery.batch_reader import RawMessage
from chassis.delivery.dead_letter import Cause, FailedMessage, dead_letter
from chassis.stream.jetstream_bus import JetStreamBus
from chassis.stream.reads import message_at
from chassis.subjects import STREAM, SubscriptionMode, durable_name

ADVISORY_STREAM = f"{STREAM}_ADVISORIES"

DeliveryEnding = Literal["exhausted", "terminated"]
"""How the server ended a delivery; the reason of the dead letter."""

ADVISORY_SUBJECTS: Mapping[DeliveryEnding, str] = {
    "exhausted": f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{STREAM}.>",
    "terminated": f"$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.{STREAM}.>",
}

DETAILS: Mapping[DeliveryEnding, str] = {
    "exhausted": "the server stopped delivering it, because the consumer's max_deliver was limited,",
    "terminated": "the delivery was ended by hand",
}

_log = logging.getLogger(__name__)


class Advisory(BaseModel):
    """The fields that we need of an advisory."""

    model_config = ConfigDict(extra="ignore")

    consumer: str
    stream_seq: int
    deliveries: int


def advisory_stream_config() -> StreamConfig:
    """Return the configuration of the stream that keeps each advisory until it is processed."""
    return StreamConfig(
        name=ADVISORY_STREAM,
        description="Deliveries that the server ended; the recorder turns them into MessageAbandoned.",
        subjects=list(ADVISORY_SUBJECTS.values()),
        storage=StorageType.FILE,
        retention=RetentionPolicy.WORK_QUEUE,
    )


class Advisories:
    """Publishes dead letters for advisories, in the name of the service whose consumer it is.

    An outcome or a dead letter that is stored already wins, as the first stored event always does.
    """

    def __init__(self, bus: JetStreamBus) -> None:
        self._bus = bus

    async def process(self, ending: DeliveryEnding, batch: Sequence[RawMessage]) -> None:
        """Publish the dead letters of a batch of advisories of one kind."""
        for message in batch:
            await self._process(message, ending)

    async def _process(self, message: RawMessage, ending: DeliveryEnding) -> None:
        try:
            advisory = Advisory.model_validate_json(message.data)
        except ValidationError as error:
            _log.error("a malformed advisory is ignored: %s", error)
            return
        lost = await message_at(self._bus.client, advisory.stream_seq)
        if lost is None or lost.subject is None:  # purged, as are runs that are recorded and have ended
            return
        owes_outcome = _owes_outcome(advisory.consumer, lost.subject)
        failed = FailedMessage(lost.subject, advisory.stream_seq, advisory.consumer, owes_outcome)
        cause = Cause(ending, f"{DETAILS[ending]} after {advisory.deliveries} deliveries")
        letter = dead_letter(failed, cause, _service_of(advisory.consumer))
        if letter is not None and await self._bus.publish(letter):
            _log.error("%s has lost %s (%s): %s", advisory.consumer, lost.subject, ending, cause.detail)


def _owes_outcome(consumer: str, subject: str) -> bool:
    """Return whether the consumer's service owed an outcome for the message."""
    try:
        event_class = class_at(subject)
    except UnknownSubjectError:
        return False
    if not issubclass(event_class, Request):
        return False
    serves_thread = f"-{SubscriptionMode.SERVE_THREAD.value}-" in consumer
    return serves_thread or consumer == durable_name(event_class.owner, SubscriptionMode.ANSWER, event_class)


def _service_of(consumer: str) -> str:
    """Return the service that a durable is named after; the name of the consumer itself if it is not one of ours."""
    return next((service for service in SERVICES if consumer.startswith(f"{service}-")), consumer)
