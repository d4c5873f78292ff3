"""Settings of the recorder."""

from chassis.settings import BusSettings
from pydantic import PositiveFloat, PositiveInt
from store.settings import RetentionSettings


class Settings(BusSettings, RetentionSettings):
    """The bus to read from and the database to write to."""

    recorder_batch_size: PositiveInt = 500
    """Maximum number of messages recorded in one transaction."""
    recorder_lag_limit_s: PositiveFloat = 30.0
    """The recorder is unhealthy while a message has waited longer than this to be recorded."""
    recorder_stream_limit_mb: PositiveFloat = 2000.0
    """The recorder is unhealthy while the stream is larger: it holds open runs, and those of the last hour."""
    recorder_lag_look_s: PositiveFloat = 10.0
    """Interval between measurements of the lag and of the stream's size."""
    recorder_purge_every_s: PositiveFloat = 300.0
    """Interval between purges of ended runs from the stream."""
