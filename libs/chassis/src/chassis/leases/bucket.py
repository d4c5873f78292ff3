"""The lease store on JetStream: a key-value bucket."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from contracts.settings import COMMAND
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js.api import StreamConfig
from nats.js.errors import (
    APIError,
    BucketNotFoundError,
    KeyNotFoundError,
    KeyValueError,
    KeyWrongLastSequenceError,
)
from nats.js.kv import KeyValue

from chassis.errors import BusUnavailableError
from chassis.leases.lease import LeaseHeldError, LeaseStoreUnavailableError, OnChange, StoredValue
from chassis.retry import is_transient, retry
from chassis.settings import BusSettings
from chassis.stream.connection import close, connect_secondary
from chassis.stream.key_value import bucket_stream
from chassis.subjects import STREAM

BUCKET = f"{STREAM}_LEASES"
BUCKET_STREAM = f"KV_{BUCKET}"
EVERY_KEY = f"$KV.{BUCKET}.>"
MAX_AGE_S = 7 * 24 * 3600.0
"""A lease that was not renewed for so long is dropped, and so is the mark of an erased one."""
ANSWER_TIMEOUT_S = 2.0
LOOK_AGAIN_S = 0.2

T = TypeVar("T")


def bucket_config() -> StreamConfig:
    """Return the configuration of the stream behind the bucket."""
    description = "Leases: which process holds which session. A holder that stops renewing loses its lease."
    return bucket_stream(BUCKET, description, MAX_AGE_S)


class LeaseBucket:
    """`chassis.leases.lease.LeaseStore` on JetStream, over a connection of its own.

    Raw nats-py, since FastStream's key-value writes have no revisions.
    """

    def __init__(self, service: str, settings: BusSettings) -> None:
        self._service = service
        self._settings = settings
        self._client = Client()
        self._bucket: KeyValue | None = None

    async def open(self, on_change: OnChange, on_reconnect: Callable[[], None]) -> None:
        """Connect; raise `BusUnavailableError` when the bucket is missing. See `LeaseStore.open`."""

        async def reconnected() -> None:
            on_reconnect()

        async def changed(message: Msg) -> None:
            on_change(message.subject.removeprefix(EVERY_KEY[:-1]), message.data)

        await connect_secondary(self._client, self._service, "leases", self._settings, reconnected)
        self._bucket = await self._find_bucket()
        await self._client.subscribe(EVERY_KEY, cb=changed)

    async def close(self) -> None:
        """See `LeaseStore.close`."""
        await close(self._client)

    async def read(self, key: str) -> StoredValue | None:
        """See `LeaseStore.read`."""
        try:
            entry = await self._call(lambda bucket: bucket.get(key))
        except KeyNotFoundError:
            return None
        return StoredValue(entry.revision or 0, entry.value or b"")

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """See `LeaseStore.write`."""

        async def put(bucket: KeyValue) -> int:
            return await (bucket.update(key, value, last_revision) if last_revision else bucket.create(key, value))

        try:
            return await self._call(put)
        except KeyWrongLastSequenceError as error:
            raise LeaseHeldError(f"{key} is newer than revision {last_revision}") from error

    async def erase(self, key: str, last_revision: int) -> None:
        """See `LeaseStore.erase`."""
        try:
            await self._call(lambda bucket: bucket.delete(key, last_revision))
        except APIError as error:
            raise LeaseHeldError(f"{key} is newer than revision {last_revision}") from error

    async def _call(self, call: Callable[[KeyValue], Awaitable[T]]) -> T:
        assert self._bucket is not None, "open the store first"
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT_S):
                return await call(self._bucket)
        except KeyValueError:  # the store has answered
            raise
        except (NatsError, TimeoutError) as error:
            if not isinstance(error, TimeoutError) and not is_transient(error):
                raise
            raise LeaseStoreUnavailableError(f"the lease store does not answer: {error!r}") from error

    async def _find_bucket(self) -> KeyValue:
        """Return the bucket as soon as it exists; raise `BusUnavailableError` when it does not appear in time."""
        try:
            async with asyncio.timeout(self._settings.bus_connect_timeout_s):
                while True:
                    try:
                        return await retry(lambda: self._client.jetstream().key_value(BUCKET), f"bucket {BUCKET}")
                    except BucketNotFoundError:
                        await asyncio.sleep(LOOK_AGAIN_S)
        except TimeoutError as error:
            raise BusUnavailableError(
                f"the NATS server has no bucket {BUCKET}: create it with `{COMMAND} migrate`"
            ) from error
