"""Where the database is."""

from pydantic import Field, NonNegativeFloat, PositiveFloat, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError


class DatabaseSettings(BaseSettings):
    """One Postgres database; each owner has a schema of its own in it."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    database_url: str = Field(repr=False)
    """`postgresql://user:password@host:port/database`, as psql takes it."""
    database_connect_timeout_s: NonNegativeFloat = 30.0
    """How long a start waits for a database that is away."""
    database_command_timeout_s: PositiveFloat = 30.0
    """A query that takes longer counts as an outage: a connection may hang without anybody having closed it."""

    @field_validator("database_url")
    @classmethod
    def _names_a_postgres(cls, url: str) -> str:
        try:
            scheme = make_url(url).drivername
        except ArgumentError:
            scheme = ""
        if scheme != "postgresql":
            raise ValueError("DATABASE_URL must look like postgresql://user:password@host:5432/database")
        return url

    @property
    def asyncpg_url(self) -> URL:
        """The same place as SQLAlchemy wants it told for asyncpg, which says `ssl` where psql says `sslmode`."""
        url = make_url(self.database_url).set(drivername="postgresql+asyncpg")
        sslmode = url.query.get("sslmode")
        if sslmode is None:
            return url
        return url.difference_update_query(["sslmode"]).update_query_dict({"ssl": sslmode})


class RetentionSettings(DatabaseSettings):
    """How much of what is recorded the stream still holds. See `store.retention`."""

    recorder_grace_s: PositiveFloat = 3600.0
    """How long a run stays whole in the stream after its end; then Postgres alone has it."""
    recorder_ends_kept_s: PositiveFloat = 30 * 86400.0
    """How long the end of a run, by which what comes late is known to be late, stays in the stream."""
