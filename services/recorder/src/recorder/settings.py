"""What the recorder needs to know."""

from chassis.settings import BusSettings
from pydantic import PositiveFloat, PositiveInt
from store.settings import DatabaseSettings


class Settings(BusSettings, DatabaseSettings):
    """The bus to read from and the database to write to."""

    recorder_batch_size: PositiveInt = 500
    """Most messages that are recorded in one transaction."""
    recorder_lag_limit_s: PositiveFloat = 30.0
    """A message that waits longer than this to be recorded makes the recorder unhealthy."""
    recorder_lag_look_s: PositiveFloat = 10.0
    """How often the lag is measured."""
