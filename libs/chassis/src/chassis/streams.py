"""The one stream, and how everything that reads from it is named and declared."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID

from contracts.envelope import Event, Role
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError

from chassis.errors import BusUnavailableError
from chassis.insisting import STREAM_NOT_FOUND, insist

STREAM = "MILLWRIGHT"
SUBJECTS = "mw.>"

Manner = Literal["answers", "hears", "reminds", "records", "attends"]
"""How a service reads; part of a consumer's name, so that one service may read the same events in several manners."""

ATTENDANCE_FORGOTTEN_AFTER_S = 3600.0
"""The consumer of a thread that nobody attends disappears; whoever comes later starts one anew and skips what is
answered."""


@dataclass(frozen=True)
class Address:
    """The last three words of a full subject."""

    run_id: UUID
    role: str
    id: UUID

    @classmethod
    def of(cls, subject: str) -> Self:
        """Read a full subject; raise `ValueError` if it is none."""
        words = subject.split(".")
        if len(words) != 6:
            raise ValueError(f"{subject} is no full subject: mw.<thing>.<participle>.<run_id>.<role>.<id>")
        return cls(run_id=UUID(words[3]), role=words[4], id=UUID(words[5]))


def every(event_class: type[Event], role: Role | None = None) -> str:
    """Return the filter of all events of a class, of one role's threads or of all."""
    return f"{event_class.subject}.*.{role or '*'}.*"


def whole_run(run_id: UUID) -> str:
    """Return the filter of everything said in a run."""
    return f"mw.*.*.{run_id}.>"


def place_of(run_id: UUID, role: str, id: UUID) -> str:  # noqa: A002 - the envelope's word
    """Return the filter under which an id is stored at most once, whatever its class."""
    return f"mw.*.*.{run_id}.{role}.{id}"


def requests_of(run_id: UUID, role: Role) -> str:
    """Return the filter of all requests of one thread."""
    return f"mw.*.requested.{run_id}.{role}.*"


def durable_name(service: str, manner: Manner, event_class: type[Event], role: Role | None = None) -> str:
    """Return `<service>-<thing>-<participle>`, with the manner in it unless the service answers."""
    _, thing, participle = event_class.subject.split(".")
    words = [service, *([] if manner == "answers" else [manner]), thing, participle, *([role] if role else [])]
    return "-".join(words)


def attending_name(service: str, run_id: UUID, role: Role) -> str:
    """Return the durable name of one thread's consumer."""
    return f"{service}-attends-{run_id}-{role}"


def consumer(durable: str, filter_subject: str, manner: Manner, ack_wait_s: float) -> ConsumerConfig:
    """Return the configuration of a durable consumer.

    The server never gives a message up (`max_deliver=-1`): it would do so in silence. The chassis counts instead.
    """
    one_at_a_time = manner == "attends"
    waits_long = manner == "reminds"
    return ConsumerConfig(
        name=durable,
        durable_name=durable,
        filter_subject=filter_subject,
        deliver_policy=DeliverPolicy.ALL,
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ack_wait_s,
        max_deliver=-1,
        max_ack_pending=1 if one_at_a_time else -1 if waits_long else 1000,
        inactive_threshold=ATTENDANCE_FORGOTTEN_AFTER_S if one_at_a_time else None,
    )


async def ensure_stream_in_time(js: JetStreamContext, patience_s: float) -> None:
    """Do as `ensure_stream`, but raise `BusUnavailableError` when JetStream does not answer in time."""
    try:
        async with asyncio.timeout(patience_s):
            await ensure_stream(js)
    except TimeoutError as error:
        raise BusUnavailableError(
            f"the NATS server answers, but its JetStream does not within {patience_s:g} s: start the server with -js"
        ) from error


async def ensure_stream(js: JetStreamContext) -> None:
    """Create the stream if it is missing. An existing one is left as its operator configured it.

    Raw nats-py: FastStream's declaration rewrites an existing stream and goes on after errors.
    """

    async def look_or_create() -> None:
        try:
            await js.stream_info(STREAM)
        except NotFoundError as missing:
            if missing.err_code != STREAM_NOT_FOUND:
                raise
            await js.add_stream(_stream())

    try:
        await insist(look_or_create, f"stream {STREAM}")
    except BadRequestError as error:
        raise BusUnavailableError(
            f"stream {STREAM} ({SUBJECTS}) cannot be created: {error.description}. "
            "Remove or rename the stream that is in its way, or point NATS_URL at another server."
        ) from error


def _stream() -> StreamConfig:
    return StreamConfig(
        name=STREAM,
        subjects=[SUBJECTS],
        storage=StorageType.FILE,
        retention=RetentionPolicy.LIMITS,
    )


async def declare(js: JetStreamContext, config: ConsumerConfig) -> None:
    """Create a consumer, or bring the existing one up to date.

    Raw nats-py: FastStream leaves an existing durable as it is, whatever was asked for.
    """
    await insist(lambda: js.add_consumer(STREAM, config=config), f"consumer {config.durable_name}")


async def missing_consumers(js: JetStreamContext, durables: list[str]) -> list[str]:
    """Return those durables that the server does not know. Raw nats-py: FastStream does not look."""
    missing: list[str] = []
    for durable in durables:
        try:
            await js.consumer_info(STREAM, durable)
        except NotFoundError:
            missing.append(durable)
    return missing
