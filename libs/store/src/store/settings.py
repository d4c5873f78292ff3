"""Settings of the database and of retention."""

from pydantic import Field, NonNegativeFloat, PositiveFloat, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

TLS_PARAMETERS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
"""Parameters of psql's URLs."""


class DatabaseSettings(BaseSettings):
    """One Postgres database with a schema for each owner."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    database_url: str = Field(repr=False)
    """`postgresql://user:password@host:port/database`, as for psql, with its parameters of TLS:
    `?sslmode=verify-full&sslrootcert=FILE&sslcert=FILE&sslkey=FILE`."""
    database_connect_timeout_s: NonNegativeFloat = 30.0
    """How long a start waits out an outage of the database."""
    database_command_timeout_s: PositiveFloat = 30.0
    """A longer query counts as an outage, since a connection can hang without being closed."""

    @field_validator("database_url")
    @classmethod
    def _require_postgres_url(cls, url: str) -> str:
        try:
            scheme = make_url(url).drivername
        except ArgumentError:
            scheme = ""
        if scheme != "postgresql":
            raise ValueError("DATABASE_URL must look like postgresql://user:password@host:5432/database")
        return url

    @property
    def asyncpg_url(self) -> URL:
        """The URL for SQLAlchemy with asyncpg, without the parameters of TLS: see `store.engine`."""
        url = make_url(self.database_url).set(drivername="postgresql+asyncpg")
        return url.difference_update_query(TLS_PARAMETERS)

    @property
    def tls_parameters(self) -> dict[str, str]:
        """The parameters of TLS in the URL, by name."""
        query = make_url(self.database_url).query
        return {name: str(query[name]) for name in TLS_PARAMETERS if name in query}


class RetentionSettings(DatabaseSettings):
    """Retention times of the stream; see `store.retention`."""

    recorder_grace_s: PositiveFloat = 3600.0
    """How long the stream holds all events of a run after its end; then only Postgres has them."""
    recorder_ends_kept_s: PositiveFloat = 30 * 86400.0
    """How long the stream holds the end of a run, by which services recognize late events."""
