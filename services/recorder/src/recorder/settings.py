"""What the recorder needs to know."""

from chassis.settings import BusSettings
from pydantic import PositiveInt
from store.settings import DatabaseSettings


class Settings(BusSettings, DatabaseSettings):
    """The bus to read from and the database to write to."""

    recorder_batch_size: PositiveInt = 500
    """Most messages that are recorded in one transaction."""
