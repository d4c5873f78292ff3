"""The ledger of leases on a real server: a key-value bucket of JetStream."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import (
    APIError,
    BucketNotFoundError,
    KeyNotFoundError,
    KeyValueError,
    KeyWrongLastSequenceError,
    NotFoundError,
)
from nats.js.kv import KeyValue

from chassis.errors import BusUnavailableError
from chassis.leases.lease import LeaseHeldError, LeaseStoreUnavailableError, OnChange, StoredValue
from chassis.recovery.retry import is_transient, retry
from chassis.settings import BusSettings
from chassis.stream.connection import RECONNECT_OPTIONS, close, inbox_of
from chassis.stream.subjects import STREAM

BUCKET = f"{STREAM}_LEASES"
BUCKET_STREAM = f"KV_{BUCKET}"
EVERY_KEY = f"$KV.{BUCKET}.>"
FORGOTTEN_AFTER_S = 7 * 24 * 3600.0
"""What nobody has renewed for so long is dropped, and the marks of what was erased."""
ANSWER_S = 2.0
LOOK_AGAIN_S = 0.2

T = TypeVar("T")


def bucket_config() -> StreamConfig:
    """Return how the stream behind the bucket is to be: one value per key, read from its leader alone."""
    return StreamConfig(
        name=BUCKET_STREAM,
        description="Leases: which process holds which session. Whoever stops renewing loses it.",
        subjects=[EVERY_KEY],
        storage=StorageType.FILE,
        discard=DiscardPolicy.NEW,
        max_msgs_per_subject=1,
        max_age=FORGOTTEN_AFTER_S,
        allow_rollup_hdrs=True,
        allow_direct=False,
        deny_delete=True,
    )


async def ensure_lease_bucket(js: JetStreamContext) -> list[str]:
    """Create the bucket, or bring it up to date; return, in words, whether it was created."""

    async def ensure() -> list[str]:
        try:
            await js.update_stream(bucket_config())
        except NotFoundError:
            await js.add_stream(bucket_config())
            return [f"bucket {BUCKET} was created"]
        return []

    return await retry(ensure, f"bucket {BUCKET}")


class LeaseBucket:
    """The lease store on JetStream, over its own connection. Raw nats-py: FastStream's writes know no revisions."""

    def __init__(self, name: str, settings: BusSettings) -> None:
        self._name = name
        self._settings = settings
        self._client = Client()
        self._bucket: KeyValue | None = None

    async def open(self, hear: OnChange, reconnected: Callable[[], None]) -> None:
        """Connect; raise `BusUnavailableError` when there is no bucket."""

        async def back() -> None:
            reconnected()

        async def told(message: Msg) -> None:
            hear(message.subject.removeprefix(EVERY_KEY[:-1]), message.data)

        self._client = await nats.connect(
            self._settings.nats_url,
            name=f"{self._name}-leases",
            inbox_prefix=inbox_of(self._name),
            reconnected_cb=back,
            error_cb=_ignore,
            **RECONNECT_OPTIONS,  # pyright: ignore[reportArgumentType] - nats-py says int and sleeps any float
        )
        self._bucket = await self._found()
        await self._client.subscribe(EVERY_KEY, cb=told)

    async def close(self) -> None:
        """Disconnect."""
        await close(self._client)

    async def read(self, key: str) -> StoredValue | None:
        """Return the newest value. See `Ledger.read`."""
        try:
            entry = await self._answered(lambda bucket: bucket.get(key))
        except KeyNotFoundError:
            return None
        return StoredValue(entry.revision or 0, entry.value or b"")

    async def write(self, key: str, value: bytes, last_revision: int) -> int:
        """Write over a revision. See `Ledger.write`."""

        async def put(bucket: KeyValue) -> int:
            return await (bucket.update(key, value, last_revision) if last_revision else bucket.create(key, value))

        try:
            return await self._answered(put)
        except KeyWrongLastSequenceError as error:
            raise LeaseHeldError(f"{key} is newer than revision {last_revision}") from error

    async def erase(self, key: str, last_revision: int) -> None:
        """Take out what stands there. See `Ledger.erase`."""
        try:
            await self._answered(lambda bucket: bucket.delete(key, last_revision))
        except APIError as error:
            raise LeaseHeldError(f"{key} is newer than revision {last_revision}") from error

    async def _answered(self, call: Callable[[KeyValue], Awaitable[T]]) -> T:
        assert self._bucket is not None, "open the ledger first"
        try:
            async with asyncio.timeout(ANSWER_S):
                return await call(self._bucket)
        except KeyValueError:  # an answer, too
            raise
        except (NatsError, TimeoutError) as error:
            if not isinstance(error, TimeoutError) and not is_transient(error):
                raise
            raise LeaseStoreUnavailableError(f"no answer about leases: {error!r}") from error

    async def _found(self) -> KeyValue:
        """Return the bucket once it is there, as for the stream."""
        try:
            async with asyncio.timeout(self._settings.bus_connect_timeout_s):
                while True:
                    try:
                        return await retry(lambda: self._client.jetstream().key_value(BUCKET), f"bucket {BUCKET}")
                    except BucketNotFoundError:
                        await asyncio.sleep(LOOK_AGAIN_S)
        except TimeoutError as error:
            raise BusUnavailableError(
                f"the NATS server has no bucket {BUCKET}: create it with `millwright migrate`"
            ) from error


async def _ignore(_: Exception) -> None:
    """The app's own connection reports the same trouble."""
