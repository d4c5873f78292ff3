"""The recorder's periodic tasks: measuring its lag, and purging ended runs from the stream."""

import logging

from chassis.observability.lag import Lag, MeasureLag
from chassis.recovery.purge import StreamPurge
from opentelemetry.metrics import Meter
from store.retention import RetentionPolicy

_log = logging.getLogger(__name__)


class LagWatch:
    """Measures the lag: as metrics, as a log line when it grows, and as a health check."""

    def __init__(self, measure: MeasureLag, meter: Meter, limit_s: float) -> None:
        """`limit_s`: age of the oldest unrecorded message from which the recorder is unhealthy."""
        self._measure = measure
        self._limit_s = limit_s
        self._unrecorded = meter.create_gauge("millwright.recorder.lag", "1", "Messages stored but not recorded.")
        self._oldest = meter.create_gauge("millwright.recorder.lag_age", "s", "Age of the oldest of these messages.")
        self._last: Lag | None = None

    async def problem(self) -> str | None:
        """Return a description of a lag that is too old, or None."""
        lag = await self._measure()
        return f"{lag}: it should be less than {self._limit_s:g} s" if lag.age_s > self._limit_s else None

    async def measure(self) -> None:
        """Update the metrics; log a warning if the lag has grown and nothing was recorded since the last call."""
        lag, last = await self._measure(), self._last
        self._unrecorded.set(lag.unrecorded)
        self._oldest.set(lag.age_s)
        if last is not None and lag.unrecorded > last.unrecorded and lag.recorded_up_to == last.recorded_up_to:
            _log.warning("%s; it was %d", lag, last.unrecorded)
        self._last = lag


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
