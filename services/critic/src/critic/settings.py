"""What critic needs from its environment."""

from agent.settings import ModelSettings
from chassis.settings import BusSettings
from store.settings import DatabaseSettings


class Settings(BusSettings, DatabaseSettings, ModelSettings):
    """NATS, Postgres and the models."""
