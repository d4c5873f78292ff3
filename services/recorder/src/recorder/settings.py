"""What the recorder needs to know."""

from chassis.settings import BusSettings
from pydantic import PositiveFloat, PositiveInt
from store.settings import RetentionSettings


class Settings(BusSettings, RetentionSettings):
    """The bus to read from and the database to write to."""

    recorder_batch_size: PositiveInt = 500
    """Most messages that are recorded in one transaction."""
    recorder_lag_limit_s: PositiveFloat = 30.0
    """A message that waits longer than this to be recorded makes the recorder unhealthy."""
    recorder_lag_look_s: PositiveFloat = 10.0
    """How often the lag is measured."""
    recorder_purge_every_s: PositiveFloat = 300.0
    """How often the stream is searched for runs that can go."""
