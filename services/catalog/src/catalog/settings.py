"""What catalog needs from its environment."""

from agent.settings import RoleSettings
from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from store.settings import DatabaseSettings


class Settings(BusSettings, S3Settings, DatabaseSettings, RoleSettings):
    """NATS, S3, Postgres and the models."""
