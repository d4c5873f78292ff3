"""Runs that are over leave the stream: it holds what is in flight, Postgres the history."""

import logging

from chassis.recovery.purge import StreamPurge
from store.retention import RetentionPolicy

_log = logging.getLogger(__name__)


class Sweep:
    """Purges what the log no longer wants kept in the stream."""

    def __init__(self, keeping: RetentionPolicy, stream: StreamPurge) -> None:
        self._keeping = keeping
        self._stream = stream

    async def sweep(self) -> None:
        """Purge every run whose time has come. What is not recorded, or not yet heard by all, stays."""
        settled = await self._stream.settled_up_to()
        over = await self._keeping.purgeable_runs(await self._stream.whole_runs())
        purged = [run_id for run_id in over if await self._stream.purge(run_id, settled)]
        forgotten = await self._keeping.runs_with_expired_end(await self._stream.ended_runs())
        for run_id in forgotten:
            await self._stream.forget(run_id, settled)
        if purged or forgotten:
            _log.info("%d ended runs left the stream, the ends of %d earlier ones, too", len(purged), len(forgotten))
