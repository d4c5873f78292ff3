"""Passwords and ports that a stack keeps between two starts, in one file that only its owner can read."""

import hmac
import secrets
from pathlib import Path

from contracts.settings import COMMAND
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from local_stack.errors import UserError

SECRETS = "secrets.json"
RECOVER = f"`{COMMAND} stack recover` makes new passwords for the data that is there"


def _new_secret() -> str:
    return secrets.token_hex(16)


class Secrets(BaseModel):
    """Passwords and ports of the local servers."""

    model_config = ConfigDict(frozen=True)

    stack: str = Field(default_factory=_new_secret)
    """The name of this stack among those of the machine."""
    nats_password: str = Field(default_factory=_new_secret)
    postgres_password: str = Field(default_factory=_new_secret)
    database_users_secret: str = Field(default_factory=_new_secret)
    """The passwords of the services' database users are derived from it."""
    s3_access_key: str = Field(default_factory=_new_secret)
    s3_secret_key: str = Field(default_factory=_new_secret)
    has_database: bool = False
    """Whether a database was made for this stack: one that is missing later is lost, and not made again silently."""
    ports: tuple[int, ...] = ()
    """Those of the last start; used again when they are free."""

    def database_password(self, user: str) -> str:
        """Return the password of a service's database user."""
        return hmac.digest(self.database_users_secret.encode(), user.encode(), "sha256").hex()


def read_secrets(path: Path) -> Secrets:
    """Return the stored secrets; raise `UserError` if they are damaged."""
    try:
        return Secrets.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UserError(f"{path} is damaged: {RECOVER}") from error
