"""Looking after the recorder's lag: measured, logged when it grows, complained about when it is too old."""

import logging

from chassis.observability.lag import Lag, MeasureLag
from opentelemetry.metrics import Meter

_log = logging.getLogger(__name__)


class LagWatch:
    """Knows what the lag was; `look` is called now and then, `problem` by whoever asks for the recorder's health."""

    def __init__(self, measure: MeasureLag, meter: Meter, limit_s: float) -> None:
        """Complain when a message has waited for longer than `limit_s`."""
        self._measure = measure
        self._limit_s = limit_s
        self._unrecorded = meter.create_gauge("millwright.recorder.lag", "1", "Messages stored but not recorded.")
        self._oldest = meter.create_gauge("millwright.recorder.lag_age", "s", "How long the oldest of them has waited.")
        self._last: Lag | None = None

    async def problem(self) -> str | None:
        """Return what is wrong with the lag now, if anything is."""
        lag = await self._measure()
        return f"{lag}: it should be less than {self._limit_s:g} s" if lag.age_s > self._limit_s else None

    async def look(self) -> None:
        """Measure, and say so when it has grown since the last look and nothing was recorded meanwhile."""
        lag, last = await self._measure(), self._last
        self._unrecorded.set(lag.unrecorded)
        self._oldest.set(lag.age_s)
        if last is not None and lag.unrecorded > last.unrecorded and lag.recorded_up_to == last.recorded_up_to:
            _log.warning("%s; it was %d", lag, last.unrecorded)
        self._last = lag
