"""Attempts: how often a message has failed, or killed its process while it was in hand alone.

The server counts deliveries, whatever ended them. Here only what the message itself can be blamed for counts: an error
of its handler, and a death of the process that had no other message in hand. Restarts, lost leases, outages and deaths
in company use up no attempt.
"""

from dataclasses import dataclass
from typing import Protocol

from nats.aio.msg import Msg
from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

from chassis.delivery.subscription import Subscription
from chassis.errors import AttemptsExhaustedError

DEATHS_IN_COMPANY = 2
"""Deliveries that may end unexplained before a message is taken alone: from the third one on it is a suspect."""


class AttemptRecord(BaseModel):
    """What is stored about the deliveries of one message to one consumer."""

    model_config = ConfigDict(frozen=True)

    subject: str
    """Of the message: a stream that was lost may use a sequence number again."""
    explained: NonNegativeInt = 0
    """Number of deliveries, from the first one, whose end is known or counted below."""
    failed: NonNegativeInt = 0
    """How often a handler raised an error."""
    deaths: NonNegativeInt = 0
    """How often it was taken alone without an end: counted at the beginning, and taken back at any end but death."""

    @property
    def used(self) -> int:
        """Attempts that count. A message that kills its process alone is blamed for the deaths in company, too."""
        return self.failed + (self.deaths + DEATHS_IN_COMPANY if self.deaths else 0)


class AttemptStore(Protocol):
    """Storage of attempt records, which every process of a service reads and writes."""

    async def start(self) -> None:
        """Raise `BusUnavailableError` if there is no storage."""
        ...

    async def read(self, key: str) -> bytes | None:
        """Return what is stored under a key."""
        ...

    async def write(self, key: str, data: bytes) -> None:
        """Overwrite what is stored under a key."""
        ...


class Attempts:
    """The attempts of all messages of one service."""

    def __init__(self, store: AttemptStore, max_attempts: int) -> None:
        self._store = store
        self._max_attempts = max_attempts

    async def begin(self, subscription: Subscription, message: Msg) -> "DeliveryAttempt":
        """Return the attempt that this delivery is. Only a message that is delivered again costs a look-up."""
        delivered = message.metadata.num_delivered
        attempt = DeliveryAttempt(
            self._store,
            f"{subscription.durable}.{message.metadata.sequence.stream}",
            AttemptRecord(subject=message.subject),
            delivered,
            self._max_attempts if subscription.limits_attempts else None,
        )
        if subscription.limits_attempts and delivered > 1:
            await attempt.load()
        return attempt


@dataclass
class DeliveryAttempt:
    """One delivery of a message to a consumer."""

    store: AttemptStore
    key: str
    record: AttemptRecord
    delivered: int
    max_attempts: int | None
    """None: attempts are neither counted nor stored."""
    is_alone: bool = False

    @property
    def is_suspect(self) -> bool:
        """Whether the message may have killed its process, so that it has to be taken alone."""
        if self.max_attempts is None:
            return False
        unexplained = self.delivered - 1 - self.record.explained
        return bool(self.record.deaths) or unexplained >= DEATHS_IN_COMPANY

    @property
    def number(self) -> int:
        """The attempt's number, from 1, of those that count."""
        return self.delivered if self.max_attempts is None else self.record.used + 1

    async def load(self) -> None:
        """Read what earlier deliveries have left."""
        data = await self.store.read(self.key)
        if data is None:
            return
        try:
            record = AttemptRecord.model_validate_json(data)
        except ValidationError:  # of another version
            return
        if record.subject == self.record.subject:
            self.record = record

    def require_left(self) -> None:
        """Raise `AttemptsExhaustedError` for a message that has killed too many processes."""
        if self.max_attempts is not None and self.record.used >= self.max_attempts:
            raise AttemptsExhaustedError(
                f"{self.record.used} attempts failed, and in {self.record.deaths + DEATHS_IN_COMPANY} of them the "
                "process died before it could acknowledge the message, the last time without any other one in hand"
            )

    async def start_alone(self) -> None:
        """Count a death in advance: no process can count its own."""
        self.is_alone = True
        await self._write(deaths=self.record.deaths + 1)

    async def hand_back(self) -> None:
        """Note that the delivery ended for a reason that is not the message's."""
        await self._end(failed=self.record.failed)

    async def fail(self) -> bool:
        """Note that the handler failed; return whether another attempt is left."""
        await self._end(failed=self.record.failed + 1)
        return self.max_attempts is None or self.record.used < self.max_attempts

    async def _end(self, failed: int) -> None:
        if self.max_attempts is not None:
            await self._write(failed=failed, deaths=self.record.deaths - self.is_alone)
            self.is_alone = False

    async def _write(self, **changes: int) -> None:
        self.record = self.record.model_copy(update={"explained": self.delivered, **changes})
        await self.store.write(self.key, self.record.model_dump_json().encode())
