"""Provisioning of a NATS server by `millwright migrate`: streams and bucket, created or updated."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from contracts.settings import COMMAND
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, RetentionPolicy, StorageType, StoreCompression, StreamConfig
from nats.js.errors import BadRequestError, NotFoundError, ServerError

from chassis.delivery.advisories import ADVISORY_STREAM, advisory_stream_config
from chassis.delivery.attempt_stream import ATTEMPT_STREAM, attempt_stream_config
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import BUCKET, bucket_config
from chassis.retry import retry
from chassis.servers import registry
from chassis.settings import BusSettings
from chassis.stream.connection import connected
from chassis.stream.reads import NO_JETSTREAM, find_stream
from chassis.subjects import STREAM, SUBJECTS

ADMIN = "admin"
"""The user that may do all this; services may not."""

DUPLICATE_WINDOW_S = 120.0
"""A repeated publish is recognised cheaply within this time, and at any later time by its subject."""

STAGING = "rebuilding"
STAGED = f"{STAGING}.{SUBJECTS}"
"""Subjects of the stream while it is rebuilt: services can neither publish nor declare consumers then."""

REPAIR = "repairing"
"""Prefix of the subjects of a stream while its lost end is restored; services cannot use it then either."""

REBUILDING = (
    f"stream {STREAM} is being rebuilt: wait until that is done; if it was interrupted, run `{COMMAND} rebuild-stream`"
)

REPAIRING = (
    f"stream {STREAM} is being repaired: wait until that is done; if it was interrupted, run `{COMMAND} migrate` with "
    "DATABASE_URL"
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
"""Fields that cannot change without events being lost. The others (direct access and those of `OPERATORS`) are the
operator's."""

OPERATORS = ("num_replicas", "placement", "max_bytes", "max_msgs", "compression")
"""Fields of an existing stream that are the operator's: no update changes them, but NATS_REPLICAS the first one."""


def stream_config(first_sequence: int = 1) -> StreamConfig:
    """Return the configuration of the stream.

    Nothing is dropped for age or lack of space: a full stream refuses new messages. No single message can be deleted;
    runs that are recorded and have ended are purged. Only the server's own size limit holds, which is above the limit
    of an event: a message that is too large for us is stored and then abandoned with a dead letter.
    """
    return StreamConfig(
        name=STREAM,
        description="The events of Millwright, until the recorder has stored them in Postgres.",
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
    """Create or update streams and bucket; return one line for each change.

    Raises `BusUnavailableError` when the server cannot be used or its stream cannot be configured as needed.
    """
    async with connect_as_admin(settings) as js:
        replicas = settings.nats_replicas
        return [*await ensure_stream(js, replicas=replicas), *await ensure_auxiliary(js, replicas)]


@asynccontextmanager
async def connect_as_admin(settings: BusSettings) -> AsyncGenerator[JetStreamContext]:
    """Connect as the user that may create and change streams.

    Raw nats-py: FastStream's declaration overwrites an existing stream and ignores errors.
    """
    async with connected(ADMIN, settings) as client:
        yield client.jetstream()


async def stream_exists(settings: BusSettings) -> bool:
    """Return whether there is a stream; raise `BusUnavailableError` when the server does not answer."""
    async with connect_as_admin(settings) as js:
        return await _existing(js, settings.bus_connect_timeout_s) is not None


async def ensure_stream(js: JetStreamContext, timeout_s: float = 30.0, replicas: int | None = None) -> list[str]:
    """Create or update the stream; return and raise as `provision`. Without `replicas`, it keeps those that it has."""
    existing = await _existing(js, timeout_s)
    if existing is not None and existing.subjects == [STAGED]:
        raise BusUnavailableError(REBUILDING)
    if existing is not None and existing.subjects == [f"{REPAIR}.>"]:
        raise BusUnavailableError(REPAIRING)
    try:
        if existing is None:
            await retry(lambda: js.add_stream(replace(stream_config(), num_replicas=replicas)), f"stream {STREAM}")
            return [f"stream {STREAM} was created"]
        return await _update(js, existing, replicas)
    except (BadRequestError, ServerError) as error:
        raise BusUnavailableError(
            f"stream {STREAM} ({SUBJECTS}) cannot be configured as needed: {error.description}. "
            "Remove or rename the stream that is in the way, or point NATS_URL at another server."
        ) from error


async def ensure_auxiliary(js: JetStreamContext, replicas: int | None = None) -> list[str]:
    """Create or update streams of advisories and attempts, buckets of leases and servers; return a line per new one."""
    created: list[str] = []
    for config, name in (
        (advisory_stream_config(), f"stream {ADVISORY_STREAM}"),
        (attempt_stream_config(), f"stream {ATTEMPT_STREAM}"),
        (bucket_config(), f"bucket {BUCKET}"),
        (registry.bucket_config(), f"bucket {registry.BUCKET}"),
    ):
        if await retry(partial(declare, js, config, replicas), name):
            created.append(f"{name} was created")
    return created


async def declare(js: JetStreamContext, config: StreamConfig, replicas: int | None = None) -> bool:
    """Update a stream but for what is the operator's; create it, and return True, if it does not exist."""
    assert config.name is not None
    try:
        existing = (await js.stream_info(config.name)).config
    except NotFoundError:
        await js.add_stream(replace(config, num_replicas=replicas))
        return True
    await js.update_stream(kept(existing, config, replicas))
    return False


def kept(existing: StreamConfig, config: StreamConfig, replicas: int | None = None) -> StreamConfig:
    """Return a configuration with what is the operator's in the existing stream, and so many replicas, if given."""
    operators = {field: getattr(existing, field) for field in OPERATORS}
    return replace(config, **operators | ({} if replicas is None else {"num_replicas": replicas}))


async def _existing(js: JetStreamContext, timeout_s: float) -> StreamConfig | None:
    try:
        async with asyncio.timeout(timeout_s):
            info = await retry(lambda: find_stream(js), f"stream {STREAM}")
    except TimeoutError as error:
        raise BusUnavailableError(NO_JETSTREAM.format(timeout_s=timeout_s)) from error
    return None if info is None else info.config


async def _update(js: JetStreamContext, existing: StreamConfig, replicas: int | None) -> list[str]:
    expected = replace(stream_config(), num_replicas=replicas)
    drifted = drifted_fields(existing)
    if replicas not in {None, existing.num_replicas}:
        drifted.append("num_replicas")
    if not drifted:
        return []
    await js.update_stream(replace(existing, **{field: getattr(expected, field) for field in drifted}))
    return [
        f"stream {STREAM}: {field} was {_shown(getattr(existing, field))} and is now {_shown(getattr(expected, field))}"
        for field in drifted
    ]


def drifted_fields(existing: StreamConfig) -> list[str]:
    """Return the fields, of those that are relied on, that differ from the stream's configuration."""
    expected = stream_config()
    return [
        field for field in RELIED_ON if _comparable(getattr(existing, field)) != _comparable(getattr(expected, field))
    ]


def _comparable(value: object) -> str:
    """Return a value so that a field that the server omits equals one that is 0 or False."""
    return _shown(value or 0)


def _shown(value: object) -> str:
    return str(getattr(value, "value", value))
