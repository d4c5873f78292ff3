"""Which sessions have ended by signing out, in this gateway and in others on the same database."""

from datetime import UTC, datetime

from chassis.background_tasks import PeriodicTask
from store.errors import DatabaseOutageError
from store.sessions.ended_sessions import EndedSessions

READ_EVERY_S = 2.0
"""How long another gateway may still accept a session."""


class SignOuts:
    """A resource that knows them from `start` to `stop`; in an outage of the database as they were before."""

    def __init__(self, stored: EndedSessions) -> None:
        self._stored = stored
        self._known: dict[str, datetime] = {}
        self._task = PeriodicTask("reads which sessions have ended", self._read, READ_EVERY_S)
        self.problem = self._task.problem

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._known

    async def start(self) -> None:
        """Read them once, and then again and again."""
        await self._read()
        await self._task.start()

    async def stop(self) -> None:
        """Read no more."""
        await self._task.stop()

    async def add(self, session_id: str, expires_at: datetime) -> None:
        """End a session; raise `DatabaseOutageError`, after which only this gateway refuses it."""
        self._known[session_id] = expires_at
        await self._stored.add(session_id, expires_at)

    async def _read(self) -> None:
        try:
            self._known |= await self._stored.all()
        except DatabaseOutageError:
            return  # the health of the gateway names it
        now = datetime.now(UTC)
        self._known = {each: expires_at for each, expires_at in self._known.items() if expires_at > now}
