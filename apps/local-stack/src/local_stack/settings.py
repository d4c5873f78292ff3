"""Settings of the command from its environment: servers to join, data folder, default model, limits."""

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from artifacts.settings import S3Settings
from pydantic import Field, PositiveFloat, PositiveInt, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from local_stack.errors import UserError

PROJECT = "millwright"
WORKSPACE = "millwright-workspace"
"""Of the project file of a checkout."""
SHARED = Path("/var/lib/millwright")
"""Root's databases and the programs that serve them."""
SERVER_VARIABLES = ("NATS_URL", "DATABASE_URL", "S3_ENDPOINT")
S3_KEYS = ("S3_ACCESS_KEY", "S3_SECRET_KEY")
BACKUP_BUCKET = "s3:"
"""How a place for backups begins that is a bucket."""
BACKUP_S3 = ("s3_endpoint", "s3_access_key", "s3_secret_key", "s3_secure", "s3_region", "s3_tls_ca")
"""What a second S3 server has settings for: MILLWRIGHT_BACKUPS_ and these names."""


def find_checkout(inside: Path = Path(__file__)) -> Path | None:
    """Return the checkout of Millwright that contains a path; None if there is none, as for an installed wheel."""
    for folder in inside.resolve().parents:
        project, lock = folder / "pyproject.toml", folder / "uv.lock"
        if project.is_file() and lock.is_file():
            name = tomllib.loads(project.read_text("utf-8")).get("project", {}).get("name")
            return folder if name == WORKSPACE else None
    return None


def default_data_folder() -> Path:
    """Return `.millwright/data` of the checkout that this code runs from, else the user's own data folder (XDG)."""
    checkout = find_checkout()
    if checkout is not None:
        return checkout / ".millwright" / "data"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / PROJECT


def registry() -> Path:
    """Return where the stacks of this user are recorded, each in a folder of its name; for root with its database."""
    if os.geteuid() == 0:
        return SHARED / "clusters"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / PROJECT / "stacks"


class CliSettings(BaseSettings):
    """Servers to join, if any, and where a local stack keeps its data."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    nats_url: str | None = Field(default=None, repr=False)
    database_url: str | None = Field(default=None, repr=False)
    s3_endpoint: str | None = None
    s3_access_key: str | None = Field(default=None, repr=False)
    s3_secret_key: str | None = Field(default=None, repr=False)
    millwright_services: Literal["ours", "elsewhere"] = "ours"
    """Who runs the services on external servers: this command, or something else, such as containers."""
    millwright_s3_users: Literal["minio", "theirs"] = "minio"
    """Who creates the services' users on an external S3 server: `migrate`, by MinIO's API, or its own operator."""
    millwright_example_passwords: bool = False
    """Whether `migrate` accepts the public passwords of deploy/.env.example."""
    millwright_data: Path = Field(default_factory=default_data_folder)
    """Folder for the data of a local stack."""
    millwright_backups: str | None = None
    """Where `millwright backup` keeps backups: a folder, or `s3:BUCKET`."""
    millwright_backups_s3_endpoint: str | None = None
    """`host:port` of the S3 server of that bucket, with the keys and options below; not set: that of the artifacts."""
    millwright_backups_s3_access_key: str | None = Field(default=None, repr=False)
    millwright_backups_s3_secret_key: str | None = Field(default=None, repr=False)
    millwright_backups_s3_secure: bool = False
    millwright_backups_s3_region: str = "us-east-1"
    millwright_backups_s3_tls_ca: Path | None = None
    health_file: Path | None = None
    """Where `backup serve` writes its problems, for the engine of its container."""
    millwright_metrics_port: Annotated[int, Field(gt=0, lt=65500)] | None = None
    """The first of the ports where Prometheus scrapes the services of a local stack, one port for each service."""
    millwright_model: str = "offline"
    model_servers_key: str | None = Field(default=None, repr=False)
    """Shown to a model's server before it is announced."""
    perception_gpu_token: str | None = Field(default=None, repr=False)
    """Shown to a perception server before it is announced."""
    millwright_outage_s: PositiveFloat = 600.0
    """How long a server may be unavailable before a command gives up."""
    millwright_restarts: PositiveInt = 5
    """How often within a minute a server or service may die before the command gives up."""

    @property
    def services_elsewhere(self) -> bool:
        """Whether the services run elsewhere; model keys and programs are then needed there and not here."""
        return self.millwright_services == "elsewhere"

    def external_s3(self) -> dict[str, str]:
        """Return the variables of an external S3 server; empty unless all of them are set."""
        given = {name: getattr(self, name.lower()) for name in ("S3_ENDPOINT", *S3_KEYS)}
        return {} if None in given.values() else given

    def backup_s3(self, place: str, artifacts: S3Settings) -> S3Settings | None:
        """Return server and bucket of a place for backups, None for a folder; raise `UserError` if it cannot be one."""
        if not place.startswith(BACKUP_BUCKET):
            return None
        bucket = place.removeprefix(BACKUP_BUCKET)
        changes: dict[str, object] = {"s3_bucket": bucket}
        if self.millwright_backups_s3_endpoint is not None:
            own = {name: getattr(self, f"millwright_backups_{name}") for name in BACKUP_S3}
            for name in ("s3_access_key", "s3_secret_key"):
                if own[name] is None:
                    raise UserError(
                        f"MILLWRIGHT_BACKUPS_S3_ENDPOINT is set, but MILLWRIGHT_BACKUPS_{name.upper()} is not"
                    )
            changes |= {**own, "s3_tls_cert": None, "s3_tls_key": None}
        elif bucket == artifacts.s3_bucket:
            raise UserError(f"{place}: that bucket has the artifacts themselves; choose another one for backups")
        try:
            return S3Settings.model_validate({**artifacts.model_dump(), **changes})
        except ValidationError as error:
            raise invalid_setting(error) from error

    def external_servers(self) -> dict[str, str] | None:
        """Return the variables of external servers, None for a local stack; raise `UserError` if only some are set."""
        given = {name: value for name in (*SERVER_VARIABLES, *S3_KEYS) if (value := getattr(self, name.lower()))}
        if not set(SERVER_VARIABLES) & set(given):
            if self.services_elsewhere:
                raise UserError(
                    f"MILLWRIGHT_SERVICES=elsewhere needs external servers: set {', '.join(SERVER_VARIABLES)}"
                )
            return None
        missing = [name for name in (*SERVER_VARIABLES, *S3_KEYS) if name not in given]
        if missing:
            raise UserError(
                f"{', '.join(sorted(set(given) & set(SERVER_VARIABLES)))} is set but {', '.join(missing)} is not: "
                "set all of them to use external servers, or none to start local ones"
            )
        return given


def read_settings() -> CliSettings:
    """Read the environment; raise `UserError` for an invalid variable."""
    try:
        return CliSettings()
    except ValidationError as error:
        raise invalid_setting(error) from error


def invalid_setting(error: ValidationError) -> UserError:
    """Return the error that names the first invalid variable, without its value."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return UserError(f"{str(first['loc'][0]).upper()}: {first['msg'].removeprefix('Value error, ')}")


def passwords_of(users: Iterable[str]) -> dict[str, str]:
    """Return the passwords by user that the environment sets; for a stack of one machine it sets none."""
    names = {user: f"MILLWRIGHT_{user.upper().replace('-', '_')}_PASSWORD" for user in users}
    return {user: os.environ[name] for user, name in names.items() if os.environ.get(name)}


def inherited_environment() -> dict[str, str]:
    """Return this process's environment, for services that run as child processes."""
    return dict(os.environ)
