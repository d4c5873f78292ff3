"""What `millwright migrate` does to a NATS server: the stream as it must be, created or brought up to date."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StoreCompression, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError, ServerError

from chassis.delivery.advisories import ensure_advisory_stream
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import ensure_lease_bucket
from chassis.recovery.retry import STREAM_NOT_FOUND, retry
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.subjects import NO_JETSTREAM, STREAM, SUBJECTS

ADMIN = "admin"
"""Who may do all this; services may not."""

DUPLICATE_WINDOW_S = 120.0
"""A repeated publish is recognised cheaply within this time; beyond it, by the subject, at any age."""

STAGING = "rebuilding"
STAGED = f"{STAGING}.{SUBJECTS}"
"""What the stream listens to while it is rebuilt: nobody else can say or declare anything then."""

REBUILDING = (
    f"stream {STREAM} is being rebuilt: wait until that is done; if it was broken off, run `millwright rebuild-stream`"
)

RELIED_ON = (
    "subjects",
    "storage",
    "retention",
    "discard",
    "max_age",
    "max_msg_size",
    "max_msgs_per_subject",
    "duplicate_window",
    "no_ack",
    "deny_delete",
)
"""Fields that nothing may change without something being lost. The rest (replicas, placement, limits of size, direct
access) is the operator's."""


def stream_config(first_sequence: int = 1) -> StreamConfig:
    """Return how the stream is to be.

    It only ever grows: nothing is dropped for age or for want of room (a full stream refuses what is new), and no
    single message can be deleted; runs that are over and recorded are purged. The server's own limit of size holds,
    which is above the language's: what is too large is stored and then abandoned by name, not lost on its way.
    """
    return StreamConfig(
        name=STREAM,
        description="All that is said in Millwright: the log, until the recorder has it in Postgres.",
        subjects=[SUBJECTS],
        storage=StorageType.FILE,
        retention=RetentionPolicy.LIMITS,
        discard=DiscardPolicy.NEW,
        max_msgs=-1,
        max_bytes=-1,
        max_age=0.0,
        max_msg_size=-1,
        max_msgs_per_subject=-1,
        duplicate_window=DUPLICATE_WINDOW_S,
        no_ack=False,
        deny_delete=True,
        deny_purge=False,
        compression=StoreCompression.NONE,
        first_seq=first_sequence,
    )


async def provision(settings: BusSettings) -> list[str]:
    """Create streams and bucket, or bring the existing ones up to date; return, in words, what was done.

    Raises `BusUnavailableError` when the server cannot be used or its stream cannot be made what it must be.
    """
    async with connect_as_admin(settings) as js:
        return [*await ensure_stream(js), *await ensure_advisory_stream(js), *await ensure_lease_bucket(js)]


@asynccontextmanager
async def connect_as_admin(settings: BusSettings) -> AsyncGenerator[JetStreamContext]:
    """Connect as who may create and change streams.

    Raw nats-py: FastStream's declaration rewrites an existing stream and goes on after errors.
    """
    async with connected(ADMIN, settings) as client:
        yield client.jetstream()


async def stream_exists(settings: BusSettings) -> bool:
    """Tell whether there is a stream; raise `BusUnavailableError` when nobody can tell."""
    async with connect_as_admin(settings) as js:
        return await _existing(js, settings.bus_connect_timeout_s) is not None


async def ensure_stream(js: JetStreamContext, patience_s: float = 30.0) -> list[str]:
    """Do as `provision`, over a connection that stands."""
    existing = await _existing(js, patience_s)
    if existing is not None and existing.subjects == [STAGED]:
        raise BusUnavailableError(REBUILDING)
    try:
        if existing is None:
            await retry(lambda: js.add_stream(stream_config()), f"stream {STREAM}")
            return [f"stream {STREAM} was created"]
        return await _update(js, existing)
    except (BadRequestError, ServerError) as error:
        raise BusUnavailableError(
            f"stream {STREAM} ({SUBJECTS}) cannot be made what it must be: {error.description}. "
            "Remove or rename the stream that is in its way, or point NATS_URL at another server."
        ) from error


async def _existing(js: JetStreamContext, patience_s: float) -> StreamConfig | None:
    async def look() -> StreamConfig | None:
        try:
            return (await js.stream_info(STREAM)).config
        except NotFoundError as missing:
            if missing.err_code != STREAM_NOT_FOUND:
                raise
            return None

    try:
        async with asyncio.timeout(patience_s):
            return await retry(look, f"stream {STREAM}")
    except TimeoutError as error:
        raise BusUnavailableError(NO_JETSTREAM.format(patience_s=patience_s)) from error


async def _update(js: JetStreamContext, existing: StreamConfig) -> list[str]:
    drifted = drifted_fields(existing)
    if not drifted:
        return []
    wanted = stream_config()
    mended = replace(existing, **{field: getattr(wanted, field) for field in drifted})
    await js.update_stream(mended)
    return [
        f"stream {STREAM}: {field} was {_shown(getattr(existing, field))} and is now {_shown(getattr(wanted, field))}"
        for field in drifted
    ]


def drifted_fields(existing: StreamConfig) -> list[str]:
    """Return which of the fields that we rely on are not as they must be."""
    wanted = stream_config()
    return [field for field in RELIED_ON if _normal(getattr(existing, field)) != _normal(getattr(wanted, field))]


def _normal(value: object) -> object:
    """Return a value such that what the server leaves out equals what we spell out."""
    return str(getattr(value, "value", value) or 0)


def _shown(value: object) -> str:
    return str(getattr(value, "value", value))
