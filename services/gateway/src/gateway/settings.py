"""Settings of the gateway."""

import json
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from artifacts.settings import S3Settings
from chassis.settings import BusSettings
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import NoDecode
from store.settings import DatabaseSettings

Scope = Literal["read", "run", "admin"]
"""`read`: all that is recorded. `run`: request, continue and cancel runs, which costs time and money. `admin`: request
backups."""
MIN_TOKEN_CHARS = 24
LOOPBACK_NAME = "localhost"


class ApiToken(BaseModel):
    """A bearer token and what its owner may do."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=64, pattern=r"^[\w.-]+$")
    """For logs; each token has its own."""
    token: SecretStr = Field(min_length=MIN_TOKEN_CHARS, max_length=512)
    scopes: frozenset[Scope]


def _from_json(tokens: object) -> object:
    """Parse JSON; other values than text are left to pydantic."""
    if not isinstance(tokens, str):
        return tokens
    try:
        return json.loads(tokens)
    except json.JSONDecodeError as error:
        raise ValueError("it must be JSON, a list of tokens: see docs/api.md") from error


def _from_list(addresses: object) -> object:
    """Split a list with commas; other values than text are left to pydantic."""
    return [each.strip() for each in addresses.split(",")] if isinstance(addresses, str) else addresses


class Settings(BusSettings, S3Settings, DatabaseSettings):
    """The servers to read from, and who may use the API from where."""

    gateway_tokens: Annotated[tuple[ApiToken, ...], NoDecode, BeforeValidator(_from_json)] = Field(
        default=(), repr=False
    )
    """JSON: `[{"name": "ci", "token": "24 characters or more", "scopes": ["read", "run"]}]`. Without any, every user of
    this machine may do everything, and no other machine anything."""
    gateway_host: str = "127.0.0.1"
    """Address to listen on. One beyond this machine needs `gateway_tokens`."""
    gateway_port: Annotated[int, Field(ge=0, le=65535)] = 8420
    """0: a free one."""
    gateway_trusted_proxies: Annotated[tuple[IPvAnyNetwork, ...], NoDecode, BeforeValidator(_from_list)] = ()
    """Addresses or networks of proxies, with commas: their `X-Forwarded-For` and `X-Forwarded-Proto` are believed."""
    gateway_requests_per_minute: PositiveInt = 600
    """Of one token, or of one address without a valid token; up to a quarter of them at once."""
    gateway_failed_sign_ins_per_minute: PositiveInt = 20
    """Of one address, with tokens that do not exist; up to a quarter of them at once."""
    gateway_body_limit_bytes: PositiveInt = 64 * 1024
    gateway_upload_limit_bytes: Annotated[int, Field(ge=1, le=40 * 1024 * 1024)] = 32 * 1024 * 1024
    """Of a request that sends files."""
    gateway_uploads_at_once: PositiveInt = 4
    """Requests with files that are held in memory at once."""
    gateway_uploads_per_caller: PositiveInt = 2
    """Of one token, or of one address without tokens."""
    gateway_open_streams: PositiveInt = 500
    """Event streams that may be open at once."""
    gateway_streams_per_caller: PositiveInt = 100
    """Of one token, or of one address without tokens."""
    gateway_waiting_connections: PositiveInt = 100
    """Connections of one address without a whole request; the one that has waited longest makes way for a new one."""
    gateway_heartbeat_s: PositiveFloat = 15.0
    """After this long without an event, a stream sends a comment."""
    gateway_linger_s: float = Field(default=5.0, ge=0.0)
    """How long a stream goes on after the run's end, for what the skill-learner and closing sessions add."""
    gateway_write_timeout_s: PositiveFloat = 30.0
    """A client that takes no byte of a stream for so long is disconnected; it may resume."""
    gateway_request_timeout_s: PositiveFloat = 20.0
    """How long a request waits for servers that are unavailable."""
    gateway_evaluations: Path | None = None
    """Folder whose results of `millwright eval --output` pages show. None: they show none."""
    millwright_model: str = "offline"
    """Model of runs whose request names none."""

    @field_validator("gateway_tokens")
    @classmethod
    def _require_distinct_tokens(cls, tokens: tuple[ApiToken, ...]) -> tuple[ApiToken, ...]:
        for values in ([each.name for each in tokens], [each.token for each in tokens]):
            if len(set(values)) < len(values):
                raise ValueError("a name or a token occurs twice: give each client its own")
        return tokens

    @field_validator("gateway_host")
    @classmethod
    def _require_tokens_beyond_this_machine(cls, host: str, info: ValidationInfo) -> str:
        if not info.data.get("gateway_tokens") and not is_loopback(host):
            raise ValueError(f"{host} is reached by other machines: set GATEWAY_TOKENS, or listen on 127.0.0.1")
        return host


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches a server that listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == LOOPBACK_NAME
