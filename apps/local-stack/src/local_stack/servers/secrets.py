"""What a stack has to remember between two starts: passwords and ports, in one file for its owner's eyes only."""

import os
import secrets
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from local_stack.errors import UserError


def _fresh() -> str:
    return secrets.token_hex(16)


class Secrets(BaseModel):
    """The keys of our own servers."""

    model_config = ConfigDict(frozen=True)

    stack: str = Field(default_factory=_fresh)
    """Names this stack among those of the machine."""
    nats_password: str = Field(default_factory=_fresh)
    postgres_password: str = Field(default_factory=_fresh)
    s3_access_key: str = Field(default_factory=_fresh)
    s3_secret_key: str = Field(default_factory=_fresh)
    ports: tuple[int, ...] = ()
    """Those of the last start; taken again when they are free."""


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 600, whole or not at all."""
    aside = path.with_suffix(".new")
    aside.unlink(missing_ok=True)
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    aside.replace(path)


def read_secrets(path: Path) -> Secrets:
    """Return what the file says; new secrets when there is none."""
    if not path.exists():
        return Secrets()
    try:
        return Secrets.model_validate_json(path.read_text())
    except ValidationError as error:
        raise UserError(f"{path} is damaged; remove the folder {path.parent} to start afresh") from error
