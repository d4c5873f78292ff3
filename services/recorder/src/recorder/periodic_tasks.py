"""The recorder's periodic tasks: measuring its lag and the stream, and purging ended runs from the stream."""

import logging

from chassis.observability.declarations import LAG, LAG_AGE, STREAM_SIZE
from chassis.observability.metrics import Meters
from chassis.recovery.purge import StreamPurge
from chassis.stream.lag import Lag, MeasureLag
from contracts.settings import COMMAND
from store.retention import RetentionPolicy

_BYTES_PER_MB = 1e6

_log = logging.getLogger(__name__)


class StreamWatch:
    """Measures the lag and the size of the stream: as metrics, as log lines, and as a health check."""

    def __init__(self, measure: MeasureLag, meters: Meters, lag_limit_s: float, size_limit_mb: float) -> None:
        """The recorder is unhealthy from `lag_limit_s` and `size_limit_mb` on.

        `lag_limit_s`: age of the oldest unrecorded message. `size_limit_mb`: of the whole stream, which grows without
        limit if runs stay in it.
        """
        self._measure = measure
        self._lag_limit_s = lag_limit_s
        self._size_limit_mb = size_limit_mb
        self._unrecorded, self._oldest, self._size = map(meters.measure, (LAG, LAG_AGE, STREAM_SIZE))
        self._last: Lag | None = None

    async def problem(self) -> str | None:
        """Return a description of a lag that is too old, or of a stream that is too large, or None."""
        lag = await self._measure()
        if lag.age_s > self._lag_limit_s:
            return f"{lag}: it should be less than {self._lag_limit_s:g} s"
        return self._size_problem(lag) if self._is_large(lag) else None

    async def measure(self) -> None:
        """Update the metrics; log a warning if nothing is recorded while the lag grows, or the stream becomes large."""
        lag, last = await self._measure(), self._last
        self._unrecorded(lag.unrecorded)
        self._oldest(lag.age_s)
        self._size(lag.stored_bytes)
        if last is not None and lag.unrecorded > last.unrecorded and lag.recorded_up_to == last.recorded_up_to:
            _log.warning("%s; it was %d", lag, last.unrecorded)
        if self._is_large(lag) and (last is None or not self._is_large(last)):
            _log.warning("%s", self._size_problem(lag))
        self._last = lag

    def _is_large(self, lag: Lag) -> bool:
        return lag.stored_bytes > self._size_limit_mb * _BYTES_PER_MB

    def _size_problem(self, lag: Lag) -> str:
        return (
            f"the stream holds {lag.stored} messages of {lag.stored_bytes / _BYTES_PER_MB:.0f} MB: it should be less "
            f"than {self._size_limit_mb:g} MB (RECORDER_STREAM_LIMIT_MB). Runs stay in it while they are open, until a "
            f"success is answered by the skill-learner, and until their sessions are closed: see `{COMMAND} doctor`"
        )


class RunPurge:
    """Purges runs from the stream that the retention policy no longer keeps there."""

    def __init__(self, retention: RetentionPolicy, stream: StreamPurge) -> None:
        self._retention = retention
        self._stream = stream

    async def purge(self) -> None:
        """Purge all runs that are due, except messages that are not yet recorded."""
        recorded = await self._stream.recorded_up_to()
        purgeable = await self._retention.purgeable_runs(await self._stream.whole_runs())
        purged = [run_id for run_id in purgeable if await self._stream.purge(run_id, recorded)]
        expired = await self._retention.runs_with_expired_end(await self._stream.ended_runs())
        for run_id in expired:
            await self._stream.forget(run_id, recorded)
        if purged or expired:
            _log.info("purged %d ended runs, and the ends of %d earlier runs", len(purged), len(expired))
