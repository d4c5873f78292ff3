"""One sequence of an operator's actions on one stack, with the oracle: nothing acknowledged is lost silently."""

import asyncio
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from uuid import UUID

from artifacts.port import ArtifactsUnavailableError
from backups.backup import BackupError, Backups
from backups.database_dump import DumpError
from chassis.errors import ChassisError
from contracts.models.artifact import ArtifactRef
from local_stack.errors import UserError
from local_stack.servers.secrets import SECRETS, read_secrets
from local_stack.servers.server_stack import ServerStack
from local_stack.servers.stack_records import erase, remove, stack_records
from sqlalchemy import text
from store.database import Database
from store.errors import SchemaVersionError, StoreError
from store.migrate import newest_version
from store.settings import DatabaseSettings

from tests.chaos.operator.older_version import OlderVersion
from tests.chaos.operator.stack_of_data import Lost, OpenStack, opened, started_servers, take_up_stream
from tests.support.clusters.small_disk import fill, free_again

ACTIONS = (
    "work", "move", "unmount", "fill disk", "flip bits", "flip backup", "back up", "back up", "wipe", "restore",
    "restore", "update", "downgrade",
)  # fmt: skip
DISK_MB = 900
FULL_S = 4.0
"""How long work is tried on a full disk."""
REFUSALS = (UserError, StoreError, ChassisError, BackupError, DumpError, ArtifactsUnavailableError)


@dataclass
class Held:
    """What is acknowledged, as an operator may expect it."""

    runs: set[UUID] = field(default_factory=set[UUID])
    blobs: dict[str, ArtifactRef] = field(default_factory=dict[str, ArtifactRef])

    def copy(self) -> "Held":
        """Return what is held now."""
        return Held(set(self.runs), dict(self.blobs))


class Sequence:
    """A stack on a disk of its own, which can be unmounted.

    Its servers run on from one action to the next, unless that needs them stopped; the last audit starts them again.
    """

    def __init__(self, home: Path, seed: int, older: OlderVersion | None, other: Path | None = None) -> None:
        """Do nothing yet. `other` is the folder of another stack on this machine."""
        self.silent: list[str] = []
        self.named: list[str] = []
        self.actions: list[str] = []
        self._dice = Random(seed)
        self._home = home
        self._store, self._disk = home / "store", home / "disk"
        self._data, self._backups = self._disk / "data", home / "backups"
        self._held, self._copies = Held(), dict[str, Held]()
        self._older = older
        self._other = other or home / "other"
        self._running = AsyncExitStack()
        self._opened: OpenStack | None = None
        self._has_flipped = False
        self._clock = datetime.now(UTC)

    def choose(self, length: int) -> list[str]:
        """Return so many actions as the seed decides."""
        return [self._dice.choice(ACTIONS) for _ in range(length)]

    async def run(self, actions: Iterable[str]) -> None:
        """Do these, then audit."""
        for folder in (self._store, self._disk):
            folder.mkdir()
        _run("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=755", "tmpfs", str(self._store))
        try:
            _run("mount", "--bind", str(self._store), str(self._disk))
            await self._work()
            for action in actions:
                self.actions.append(action)
                await getattr(self, f"_{action.replace(' ', '_')}")()
            await self._stop()
            await self._audit()
        finally:
            await self._stop()
            self._clean_up()

    async def _stack(self) -> OpenStack:
        """Return the stack, started if it does not run."""
        if self._opened is None:
            environment = await self._running.enter_async_context(started_servers(self._data))
            self._opened = await self._running.enter_async_context(opened(environment))
        return self._opened

    async def _stop(self) -> None:
        self._opened = None
        await self._running.aclose()

    async def _work(self) -> None:
        await self._publish(await self._stack())

    async def _publish(self, stack: OpenStack) -> None:
        for _ in range(self._dice.randint(1, 4)):
            run, ref = await stack.record(self._dice)
            self._held.runs.add(run)
            self._held.blobs[ref.sha256] = ref

    async def _move(self) -> None:
        await self._stop()
        target = self._disk / f"data-{self._dice.randrange(1 << 30)}"
        self._data.rename(target)
        self._data = target
        self._use_other()

    async def _unmount(self) -> None:
        await self._stop()
        _run("umount", str(self._disk))
        try:
            self._use_other()
            try:
                ServerStack(self._data).start().stop()
                self.silent.append("an unmounted folder was replaced by a new stack")
            except UserError:
                assert not self._data.exists()
        finally:
            _run("mount", "--bind", str(self._store), str(self._disk))

    async def _fill_disk(self) -> None:
        """Work while the disk gets full, then free it; what is not acknowledged meanwhile does not count."""
        stack = await self._stack()
        fill(self._disk)
        try:
            async with asyncio.timeout(FULL_S):
                await self._publish(stack)
        except (TimeoutError, *REFUSALS):
            self.actions.append("(refused: full)")
        free_again(self._disk)
        await self._stop()
        await self._work()

    async def _flip_bits(self) -> None:
        await self._stop()
        files = [each for each in (self._data / "seaweedfs").glob("*.dat") if each.stat().st_size > 1000]
        if files:
            _flip(self._dice.choice(files), self._dice)
            self._has_flipped = True

    async def _flip_backup(self) -> None:
        files = [each for each in self._backups.rglob("*") if each.is_file() and each.stat().st_size > 100]
        if files:
            _flip(self._dice.choice(files), self._dice)

    async def _back_up(self) -> None:
        stack = await self._stack()
        await self._audit()
        self._clock += timedelta(seconds=1)
        try:
            made = await stack.backups(self._backups).create(self._clock)
        except REFUSALS as error:
            self.named.append(f"no backup: {error}")
            return
        self._copies[made.name] = self._held.copy()

    async def _wipe(self) -> None:
        await self._erase()
        await self._work()

    async def _erase(self) -> None:
        """Remove data folder and database by hand: all that no backup has is lost by an explicit command."""
        await self._stop()
        stack = read_secrets(self._data / SECRETS).stack
        shutil.rmtree(self._data)
        remove(stack)
        self._held, self._has_flipped = Held(), False

    async def _restore(self) -> None:
        """Restore the newest backup that is whole, in place of all that is recorded, by the documented steps."""
        await self._stop()
        async with started_servers(self._data) as environment:
            async with opened(environment, records=False) as stack:
                restored = await self._restore_newest(stack.backups(self._backups))
            if restored is not None:
                replaced = await take_up_stream(environment)
                # The recorder records again what the stream holds; a restoration removes no artifacts.
                runs = restored.runs if replaced else restored.runs | self._held.runs
                self._held = Held(set(runs), restored.blobs | self._held.blobs)
        await self._audit()

    async def _restore_newest(self, backups: Backups) -> Held | None:
        """Return what was held when the backup was made; None if there is no whole one."""
        for manifest in reversed((await backups.read_all()).manifests):
            try:
                await backups.restore(manifest, replaces=True)
            except REFUSALS as error:
                self.named.append(f"backup {manifest.name}: {error}")
                continue
            return self._copies[manifest.name]
        return None

    async def _update(self) -> None:
        """Begin again with an older version, whose data this one takes over."""
        if self._older is None:
            return
        await self._erase()
        servers = ServerStack(self._data).start()
        try:
            self._held.runs |= set(self._older.record(servers.environment(), self._dice.randint(1, 4)))
        finally:
            servers.stop()
        await self._work()
        await self._audit()

    async def _downgrade(self) -> None:
        """Meet a database that newer code has migrated: refused, and untouched."""
        await self._stop()
        await self._set_version("0999")
        try:
            async with started_servers(self._data):
                self.silent.append("a newer database was taken")
        except UserError as error:
            if not isinstance(error.__cause__, SchemaVersionError):
                raise
        await self._set_version(newest_version())

    async def _set_version(self, version: str) -> None:
        servers = ServerStack(self._data, only=("postgres",)).start()
        database = Database(DatabaseSettings(database_url=servers.database_url))
        try:
            async with database.engine.begin() as connection:
                await connection.execute(text("UPDATE store.alembic_version SET version_num = :to"), {"to": version})
        finally:
            await database.stop()
            servers.stop()

    async def _audit(self) -> None:
        stack = await self._stack()
        await self._note(await stack.audit(self._held.runs, self._held.blobs.values()))

    def _use_other(self) -> None:
        ServerStack(self._other, only=("postgres",)).start().stop()

    async def _note(self, lost: Lost) -> None:
        named = {*lost.named, *(each for each in lost.silent if self._has_flipped and each.startswith("blob "))}
        self.named += sorted(named)
        self.silent += [each for each in lost.silent if each not in named]
        for each in named:
            self._held.blobs.pop(each.removeprefix("blob "), None)

    def _clean_up(self) -> None:
        for folder in (self._disk, self._store):
            subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)
        for each in stack_records():
            if each.folder.is_relative_to(self._home):
                erase(each.stack)


def _flip(file: Path, dice: Random) -> None:
    with file.open("r+b") as stream:
        stream.seek(dice.randrange(file.stat().st_size))
        byte = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte[0] ^ 1 << dice.randrange(8)]))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
