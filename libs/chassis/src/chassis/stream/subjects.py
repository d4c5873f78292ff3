"""The one stream, and how everything that reads from it is named and declared."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from dataclasses import dataclass
from typing import Literal, Self
from uuid import UUID

from contracts.envelope import Event, Role
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from chassis.errors import BusUnavailableError
from chassis.recovery.retry import STREAM_NOT_FOUND, retry

STREAM = "MILLWRIGHT"
SUBJECTS = "mw.>"

NO_JETSTREAM = "the NATS server answers, but its JetStream does not within {patience_s:g} s: start the server with -js"
NO_STREAM = (
    f"the NATS server has no stream {STREAM}, and none appeared within {{patience_s:g}} s: create it with "
    "`millwright migrate`, or, if it was there and is lost, restore it from Postgres with `millwright rebuild-stream`"
)
STREAM_LOST = f"stream {STREAM} is lost: restore it from Postgres with `millwright rebuild-stream`"
"""What a service says whose stream disappears while it works; it waits until the stream is back."""

Mode = Literal["answers", "hears", "reminds", "records", "attends"]
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


def class_filter(event_class: type[Event], role: Role | None = None) -> str:
    """Return the filter of all events of a class, of one role's threads or of all."""
    return f"{event_class.subject}.*.{role or '*'}.*"


def run_filter(run_id: UUID) -> str:
    """Return the filter of everything said in a run."""
    return f"mw.*.*.{run_id}.>"


def end_filter(run_id: UUID) -> str:
    """Return the filter of what can end a run."""
    return f"mw.run.*.{run_id}.>"


def id_filter(run_id: UUID, role: str, id: UUID) -> str:  # noqa: A002 - the envelope's word
    """Return the filter under which an id is stored at most once, whatever its class."""
    return f"mw.*.*.{run_id}.{role}.{id}"


def thread_requests_filter(run_id: UUID, role: Role) -> str:
    """Return the filter of all requests of one thread."""
    return f"mw.*.requested.{run_id}.{role}.*"


def durable_name(service: str, manner: Mode, event_class: type[Event], role: Role | None = None) -> str:
    """Return `<service>-<thing>-<participle>`, with the manner in it unless the service answers."""
    _, thing, participle = event_class.subject.split(".")
    words = [service, *([] if manner == "answers" else [manner]), thing, participle, *([role] if role else [])]
    return "-".join(words)


def thread_durable_name(service: str, run_id: UUID, role: Role) -> str:
    """Return the durable name of one thread's consumer."""
    return f"{service}-attends-{run_id}-{role}"


def consumer_config(durable: str, filter_subject: str, manner: Mode, ack_wait_s: float) -> ConsumerConfig:
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


async def await_stream(js: JetStreamContext, patience_s: float) -> None:
    """Return when the stream is there; raise `BusUnavailableError` when it does not appear in time.

    A service never creates it: an empty stream in the place of a lost one would pass for the truth.
    """
    problem = NO_JETSTREAM

    async def look() -> None:
        nonlocal problem
        if not await has_stream(js):
            problem = NO_STREAM
            raise NotFoundError(err_code=STREAM_NOT_FOUND)

    try:
        async with asyncio.timeout(patience_s):
            await retry(look, f"stream {STREAM}")
    except TimeoutError as error:
        raise BusUnavailableError(problem.format(patience_s=patience_s)) from error


async def has_stream(js: JetStreamContext) -> bool:
    """Tell whether the stream is there. Raw nats-py: FastStream does not look.

    While it is being rebuilt it takes no subjects of ours, and counts as missing: whoever read from it would see
    requests whose outcomes are still to come.
    """
    try:
        info = await js.stream_info(STREAM)
    except NotFoundError as missing:
        if missing.err_code != STREAM_NOT_FOUND:
            raise
        return False
    return info.config.subjects == [SUBJECTS]


async def declare(js: JetStreamContext, config: ConsumerConfig, stream: str = STREAM) -> None:
    """Create a consumer, or bring the existing one up to date.

    Raw nats-py: FastStream leaves an existing durable as it is, whatever was asked for.
    """
    await retry(lambda: js.add_consumer(stream, config=config), f"consumer {config.durable_name}")
