"""A stack without roles: servers, migration and recorder; it stores runs and blobs, and audits what it acknowledged."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from uuid import UUID

from artifacts.bucket import Bucket
from artifacts.object_store import FolderObjects
from artifacts.port import ArtifactsUnavailableError, reference
from artifacts.settings import S3Settings
from backups.backup import Backups
from backups.database_dump import PostgresTools
from chassis.administration.rebuild import StreamInUseError
from chassis.app import App
from chassis.settings import BusSettings
from contracts.models.artifact import ArtifactRef
from local_stack.errors import UserError
from local_stack.migration import migrate_all, rebuild_stream
from local_stack.server_access import settings_from
from local_stack.servers.binaries import postgres_installation
from local_stack.servers.server_stack import ServerStack
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.store.example_runs import new_request, with_code

RECORDED_S = 60.0
STORED_S = 60.0
READ_S = 10.0
"""A blob that cannot be read for so long is named by the error of the reader."""
LOOK_S = 0.05
BLOB_BYTES = 20_000


@dataclass(frozen=True)
class Lost:
    """What an audit missed: without a word, or with an error that names it."""

    silent: tuple[str, ...]
    named: tuple[str, ...]


class OpenStack:
    """The clients of a stack that has started."""

    def __init__(self, client: App, database: Database, bucket: Bucket, environment: dict[str, str]) -> None:
        self._client = client
        self._database = database
        self._bucket = bucket
        self._environment = environment
        self._log = EventLog(database.engine)

    async def record(self, dice: Random) -> tuple[UUID, ArtifactRef]:
        """Return a run whose request the stream has acknowledged, and the blob in S3 that it names.

        A blob that no event names is not in a backup, and `collect-artifacts` removes it: it is not acknowledged.
        """
        blob = dice.randbytes(BLOB_BYTES)
        ref = reference(blob, "text/x-python")
        await self._put(ref, blob)
        request = with_code(new_request().model_copy(update={"continues": None}), ref)  # it names no other artifact
        await self._client.bus.publish(request)
        return request.run_id, ref

    async def _put(self, ref: ArtifactRef, blob: bytes) -> None:
        """Store a blob, also after an outage, in which services wait."""
        deadline = asyncio.get_running_loop().time() + STORED_S
        while True:
            try:
                return await self._bucket.put(ref, blob)
            except ArtifactsUnavailableError:
                if asyncio.get_running_loop().time() > deadline:
                    raise
            await asyncio.sleep(LOOK_S)

    async def audit(self, runs: Iterable[UUID], blobs: Iterable[ArtifactRef]) -> Lost:
        """Return what is missing, once the recorder has had time to record the rest."""
        missing = set(runs)
        deadline = asyncio.get_running_loop().time() + RECORDED_S
        while missing and asyncio.get_running_loop().time() < deadline:
            missing = {each for each in missing if not await self._log.events_of(each)}
            await asyncio.sleep(LOOK_S if missing else 0)
        found = {ref.sha256: await self._read(ref) for ref in blobs}
        silent = [*(f"run {each}" for each in missing), *(f"blob {name}" for name, state in found.items() if not state)]
        return Lost(tuple(silent), tuple(name for name, state in found.items() if state == "named"))

    async def _read(self, ref: ArtifactRef) -> str:
        """Return whether a blob is there, is named as damaged, or (empty) is missing without a word."""
        try:
            async with asyncio.timeout(READ_S):
                data = await self._bucket.get(ref)
        except (ArtifactsUnavailableError, TimeoutError):
            return "named"
        if data is None:
            return ""
        return "there" if reference(data, ref.media_type).sha256 == ref.sha256 else "named"

    def backups(self, folder: Path) -> Backups:
        """Return the backups in a folder."""
        tools = PostgresTools(self._environment["DATABASE_URL"], postgres_installation() / "bin")
        return Backups(FolderObjects(folder), self._bucket, self._database, tools)


@asynccontextmanager
async def started_servers(folder: Path) -> AsyncGenerator[dict[str, str]]:
    """Start the servers of a data folder, migrated as `up` does it."""
    servers = ServerStack(folder).start()
    try:
        await migrate_all(servers.environment())
        yield servers.environment()
    finally:
        servers.stop()


async def take_up_stream(environment: dict[str, str]) -> bool:
    """Do what is documented after a restoration; return whether it replaced a stream of another history."""
    try:
        await rebuild_stream(environment, _ignore)
    except UserError as error:
        if not isinstance(error.__cause__, StreamInUseError):
            raise
    try:
        await migrate_all(environment)
    except UserError as error:
        if "rebuild-stream --replace" not in str(error):
            raise
        await rebuild_stream(environment, _ignore, replaces=True)
        await migrate_all(environment)
        return True
    return False


def _ignore(_: str) -> None:
    """Ignore the progress."""


@asynccontextmanager
async def opened(environment: dict[str, str], *, records: bool = True) -> AsyncGenerator[OpenStack]:
    """Open the clients; `records`: with the recorder."""
    s3 = settings_from(S3Settings, environment)
    client = App("cli", settings_from(BusSettings, environment))
    database, bucket = Database(settings_from(DatabaseSettings, environment)), Bucket(s3)
    recorder = make_app(Settings(**{name.lower(): value for name, value in environment.items()}))  # pyright: ignore[reportArgumentType] - from text, as from the environment
    bucket.open()
    parts = [client, database, *([recorder] if records else [])]
    started = 0
    try:
        for part in parts:
            await part.start()
            started += 1
        await bucket.create()
        yield OpenStack(client, database, bucket, environment)
    finally:
        for part in parts[:started]:
            await part.stop()
        bucket.close()
