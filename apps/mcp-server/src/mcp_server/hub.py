"""The sessions of all clients: opened, used one call at a time, closed when idle, and opened again by their ids."""

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from benchmarks.loader import LoadedBenchmark
from contracts.model import Model
from millwright import Workshop
from millwright.sessions.design_session import DesignSession
from pydantic import AwareDatetime, ValidationError
from sim_worker.media.film import VideoFormat
from sim_worker.media.renderer import MediaRenderer

from mcp_server.benchmark_list import BenchmarkFolders
from mcp_server.errors import ClientError

CARD, EXPORTS = "session.json", "exports"
IDLE_CHECK_S = 1.0


@dataclass(frozen=True)
class HubLimits:
    """Limits of the server and of each client."""

    open_sessions: int = 8
    """Kernels at once."""
    open_per_client: int = 4
    """The one that was not used for the longest time is closed for the next; its next call opens it again."""
    kept_per_client: int = 50
    """Sessions on disk."""
    waiting_calls: int = 8
    """Of one session, besides the running one."""
    idle_s: float = 900.0
    """After which a kernel is ended."""
    kept_days: float = 14.0
    """After which an unused session is deleted."""


class SessionCard(Model):
    """What a session's folder says about it without being opened."""

    client: str
    benchmark: str
    seed: int
    opened_at: AwareDatetime
    used_at: AwareDatetime


@dataclass
class _Slot:
    folder: Path
    card: SessionCard
    session: DesignSession | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    calls: int = 0
    """Running and waiting."""
    used_s: float = field(default_factory=time.monotonic)
    is_gone: bool = False

    @property
    def is_idle(self) -> bool:
        return self.session is not None and self.calls == 0


class SessionHub:
    """An asynchronous context manager, outside of which no kernel is left. Sessions stay on disk."""

    def __init__(
        self,
        folder: Path,
        benchmarks: BenchmarkFolders,
        limits: HubLimits | None = None,
        video_format: VideoFormat | None = None,
    ) -> None:
        """`folder` holds a folder for each session; servers of one machine may share it."""
        self.benchmarks = benchmarks
        self.limits = limits or HubLimits()
        self._folder = folder
        self._slots: dict[str, _Slot] = {}
        self._workshop = Workshop()
        self.renderer = MediaRenderer(video_format or VideoFormat())
        self._opening = asyncio.Lock()
        self._starting: asyncio.Task[Workshop] | None = None
        self._tidying: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._starting = asyncio.create_task(self._workshop.__aenter__(), name="starts the sandbox")
        self._tidying = asyncio.create_task(self._tidy(), name="closes idle sessions")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._starting is not None
        assert self._tidying is not None
        self._tidying.cancel()
        await asyncio.gather(self._tidying, self._starting, return_exceptions=True)
        for slot in self._slots.values():
            if slot.session is not None:
                await slot.session.close()
        await self._workshop.__aexit__(None, None, None)

    async def workshop(self) -> Workshop:
        """Return the workshop once its sandbox is ready; raise `SandboxUnavailableError`."""
        assert self._starting is not None
        return await asyncio.shield(self._starting)

    async def open(self, client: str, loaded: LoadedBenchmark) -> str:
        """Open a session in the world of a benchmark and return its id; raise `ClientError` and `BenchmarkError`."""
        workshop = await self.workshop()
        async with self._opening:
            self._require_room_on_disk(client)
            await self._make_room(client)
            folder = self._folder / uuid4().hex
            folder.mkdir(mode=0o700)
            now = datetime.now(UTC)
            variant = loaded.variant
            card = SessionCard(
                client=client, benchmark=variant.benchmark, seed=variant.seed, opened_at=now, used_at=now
            )
            try:
                _write_card(folder, card)
                session = await DesignSession.create(folder, loaded, workshop, self.renderer)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            self._slots[folder.name] = _Slot(folder, card, session)
        return folder.name

    @asynccontextmanager
    async def use(self, client: str, session_id: str) -> AsyncGenerator[DesignSession]:
        """Yield a session to one call at a time, opened again if it is closed; raise `ClientError`."""
        slot = self._slot(client, session_id)
        if slot.calls > self.limits.waiting_calls:
            raise ClientError(
                f"session {session_id} has {slot.calls} calls already, of which one runs at a time; "
                "wait for their answers, or open another session"
            )
        slot.calls += 1
        try:
            async with slot.lock:
                yield await self._opened(slot)
        finally:
            slot.calls -= 1
            slot.used_s = time.monotonic()

    async def close(self, client: str, session_id: str, *, forget: bool) -> None:
        """End the kernel of a session; `forget` deletes its files, too. Raises `ClientError`."""
        slot = self._slot(client, session_id)
        if forget:
            slot.is_gone = True
            if slot.session is not None:
                slot.session.interrupt()
        async with slot.lock:
            await _close(slot)
            if forget:
                self._slots.pop(session_id, None)
                await asyncio.to_thread(shutil.rmtree, slot.folder, ignore_errors=True)

    def sessions(self, client: str) -> dict[str, SessionCard]:
        """Return the sessions of a client, the last used first."""
        own = {each: card for each, card in self._cards().items() if card.client == client}
        return dict(sorted(own.items(), key=lambda item: item[1].used_at, reverse=True))

    def is_open(self, session_id: str) -> bool:
        """Return whether the session has a kernel in this server now."""
        slot = self._slots.get(session_id)
        return slot is not None and slot.session is not None

    def stage(self, session_id: str) -> str:
        """Return what goes on in a session now."""
        slot = self._slots.get(session_id)
        return "" if slot is None or slot.session is None else slot.session.services.stage

    def exports(self, client: str, session_id: str) -> Path:
        """Return the folder of a session's exported files; raise `ClientError`."""
        return self._slot(client, session_id).folder / EXPORTS

    def _slot(self, client: str, session_id: str) -> _Slot:
        slot = self._slots.get(session_id)
        if slot is None:
            card = _read_card(self._folder / session_id) if session_id.isalnum() else None
            slot = None if card is None else self._slots.setdefault(session_id, _Slot(self._folder / session_id, card))
        if slot is None or slot.card.client != client or slot.is_gone:
            raise ClientError(f"you have no session {session_id!r}; list_sessions lists yours, open_session opens one")
        return slot

    async def _opened(self, slot: _Slot) -> DesignSession:
        if slot.is_gone:
            raise ClientError(f"session {slot.folder.name} was deleted meanwhile; open another one")
        if slot.session is None:
            workshop = await self.workshop()
            async with self._opening:
                await self._make_room(slot.card.client)
                slot.session = await DesignSession.reopen(slot.folder, workshop, self.renderer)
        slot.card = slot.card.model_copy(update={"used_at": datetime.now(UTC)})
        _write_card(slot.folder, slot.card)
        return slot.session

    async def _make_room(self, client: str) -> None:
        """Close the client's idle session that was not used for the longest time, if there are too many."""
        is_open = [slot for slot in self._slots.values() if slot.session is not None]
        own = [slot for slot in is_open if slot.card.client == client]
        if len(own) < self.limits.open_per_client and len(is_open) < self.limits.open_sessions:
            return
        idle = sorted((slot for slot in own if slot.is_idle), key=lambda slot: slot.used_s)
        if not idle:
            raise ClientError(
                f"{len(own)} of your sessions and {len(is_open) - len(own)} of others are at work; at most "
                f"{self.limits.open_per_client} of a client and {self.limits.open_sessions} in all can be. Try later"
            )
        async with idle[0].lock:
            await _close(idle[0])

    def _require_room_on_disk(self, client: str) -> None:
        kept = self.sessions(client)
        if len(kept) >= self.limits.kept_per_client:
            raise ClientError(
                f"you keep {len(kept)} sessions, at most {self.limits.kept_per_client} are allowed; "
                f"delete one: close_session with forget, such as {list(kept)[-1]}, which you used last on "
                f"{kept[list(kept)[-1]].used_at:%Y-%m-%d}"
            )

    def _cards(self) -> dict[str, SessionCard]:
        cards = {folder.name: _read_card(folder) for folder in self._folder.iterdir() if folder.is_dir()}
        return {name: card for name, card in cards.items() if card is not None}

    async def _tidy(self) -> None:
        """Close idle sessions, and delete old ones."""
        await asyncio.to_thread(self.delete_old)
        while True:
            await asyncio.sleep(IDLE_CHECK_S)
            for slot in list(self._slots.values()):
                if slot.is_idle and time.monotonic() - slot.used_s > self.limits.idle_s:
                    async with slot.lock:
                        await _close(slot)

    def delete_old(self) -> None:
        """Delete the sessions that were not used for as long as they are kept."""
        oldest = datetime.now(UTC) - timedelta(days=self.limits.kept_days)
        for name, card in self._cards().items():
            if card.used_at < oldest:
                shutil.rmtree(self._folder / name, ignore_errors=True)


async def _close(slot: _Slot) -> None:
    session, slot.session = slot.session, None
    if session is not None:
        await session.close()


def _write_card(folder: Path, card: SessionCard) -> None:
    fresh = folder / f".{CARD}"
    fresh.write_text(card.model_dump_json(), encoding="utf-8")
    fresh.replace(folder / CARD)


def _read_card(folder: Path) -> SessionCard | None:
    try:
        return SessionCard.model_validate_json((folder / CARD).read_bytes())
    except (OSError, ValidationError):  # no session, or one that is being opened or deleted
        return None
