"""What the command needs from its environment; the only module of the command that reads it."""

import os
from pathlib import Path
from typing import Literal

from contracts.publishers import SERVICES
from pydantic import Field, PositiveFloat, PositiveInt, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from local_stack.errors import UserError

ROOT = Path(__file__).resolve().parents[4]
"""The checkout: everything of ours that grows lies in `.millwright/`."""

JOINING = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT")
KEYS = ("S3_ACCESS_KEY", "S3_SECRET_KEY")


class CliSettings(BaseSettings):
    """Servers to join, if any, and where to keep things."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    nats_url: str | None = Field(default=None, repr=False)
    database_url: str | None = Field(default=None, repr=False)
    s3_endpoint: str | None = None
    s3_access_key: str | None = Field(default=None, repr=False)
    s3_secret_key: str | None = Field(default=None, repr=False)
    millwright_services: Literal["ours", "elsewhere"] = "ours"
    """Who runs the services on servers that exist: we bring them along, or they are there, such as in containers."""
    millwright_s3_users: Literal["minio", "theirs"] = "minio"
    """Who tells an S3 server that exists of our services: `migrate`, as MinIO wants it, or somebody has, elsewhere."""
    millwright_data: Path = ROOT / ".millwright" / "data"
    """Folder of our own servers' data."""
    millwright_model: str = "offline"
    millwright_outage_s: PositiveFloat = 600.0
    """How long a server may be away before a command gives up."""
    millwright_restarts: PositiveInt = 5
    """How often within a minute a server or service may die before the command gives up."""

    @property
    def services_elsewhere(self) -> bool:
        """Whether the services run elsewhere: what they need, such as keys of models and programs, is theirs."""
        return self.millwright_services == "elsewhere"

    def external_s3(self) -> dict[str, str]:
        """Return the variables of an S3 server that exists; nothing when not all of them are set."""
        given = {name: getattr(self, name.lower()) for name in ("S3_ENDPOINT", *KEYS)}
        return {} if None in given.values() else given

    def external_servers(self) -> dict[str, str] | None:
        """Return the variables of servers that exist; None when we start our own. All must be set, or none."""
        given = {name: value for name in (*JOINING, *KEYS) if (value := getattr(self, name.lower())) is not None}
        if not set(JOINING) & set(given):
            if self.services_elsewhere:
                raise UserError(f"MILLWRIGHT_SERVICES=elsewhere wants servers to meet at: set {', '.join(JOINING)}")
            return None
        missing = [name for name in (*JOINING, *KEYS) if name not in given]
        if missing:
            raise UserError(
                f"{', '.join(sorted(set(given) & set(JOINING)))} is set but {', '.join(missing)} is not: "
                "set all of them to join servers that exist, or none to start our own"
            )
        return given


def read_settings() -> CliSettings:
    """Read the environment."""
    try:
        return CliSettings()
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{str(first['loc'][0]).upper()}: {first['msg']}") from error


def service_passwords() -> dict[str, str]:
    """Return the password of each service that has a user of its own, by service; none is set on one machine."""
    names = {service: f"MILLWRIGHT_{service.upper().replace('-', '_')}_PASSWORD" for service in SERVICES}
    return {service: os.environ[name] for service, name in names.items() if os.environ.get(name)}


def inherited_environment() -> dict[str, str]:
    """Return our own environment, for services that run as processes of ours."""
    return dict(os.environ)
