"""What the command needs from its environment; the only module of the command that reads it."""

import os
from pathlib import Path

from pydantic import Field, PositiveFloat, PositiveInt, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from cli.errors import CannotGoOnError

ROOT = Path(__file__).resolve().parents[3]
"""The checkout: benchmarks lie in `suite/`, and everything of ours that grows in `.millwright/`."""

JOINING = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT")
KEYS = ("S3_ACCESS_KEY", "S3_SECRET_KEY")


class Surroundings(BaseSettings):
    """Servers to join, if any, and where to keep things."""

    model_config = SettingsConfigDict(extra="ignore", hide_input_in_errors=True)

    nats_url: str | None = Field(default=None, repr=False)
    database_url: str | None = Field(default=None, repr=False)
    s3_endpoint: str | None = None
    s3_access_key: str | None = Field(default=None, repr=False)
    s3_secret_key: str | None = Field(default=None, repr=False)
    millwright_data: Path = ROOT / ".millwright" / "data"
    """Folder of our own servers' data."""
    millwright_model: str = "offline"
    millwright_outage_s: PositiveFloat = 600.0
    """How long a server may be away before a command gives up."""
    millwright_restarts: PositiveInt = 5
    """How often within a minute a server or service may die before the command gives up."""

    def servers_to_join(self) -> dict[str, str] | None:
        """Return the variables of servers that exist; None when we start our own. All must be set, or none."""
        given = {name: value for name in (*JOINING, *KEYS) if (value := getattr(self, name.lower())) is not None}
        if not set(JOINING) & set(given):
            return None
        missing = [name for name in (*JOINING, *KEYS) if name not in given]
        if missing:
            raise CannotGoOnError(
                f"{', '.join(sorted(set(given) & set(JOINING)))} is set but {', '.join(missing)} is not: "
                "set all of them to join servers that exist, or none to start our own"
            )
        return given


def read_surroundings() -> Surroundings:
    """Read the environment."""
    try:
        return Surroundings()
    except ValidationError as error:
        first = error.errors()[0]
        raise CannotGoOnError(f"{str(first['loc'][0]).upper()}: {first['msg']}") from error


def inherited() -> dict[str, str]:
    """Return our own environment, for services that run as processes of ours."""
    return dict(os.environ)
