"""The registry of servers on JetStream: a key-value bucket, whose entries expire unless they are announced again."""

# pyright: reportUnknownMemberType=false
# nats-py leaves some of its options untyped.

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated, Literal, Self

from nats.js import JetStreamContext
from nats.js.api import StreamConfig
from nats.js.errors import NotFoundError
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError, model_validator

from chassis.stream.key_value import bucket_stream
from chassis.subjects import STREAM

BUCKET = f"{STREAM}_SERVERS"
BUCKET_STREAM = f"KV_{BUCKET}"
EVERY_KEY = f"$KV.{BUCKET}.>"
MAX_TTL_S = 24 * 3600.0
"""The bucket drops what is older, whatever the entry asks for."""
DELETION = {"KV-Operation": "DEL"}

ServerKind = Literal["model", "perception"]

_log = logging.getLogger(__name__)


class AnnouncedServer(BaseModel):
    """What a server announces of itself, or an operator of it. Without keys: those are settings of who calls it."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    kind: ServerKind
    url: Annotated[str, Field(pattern=r"^https?://[^\s@]+$", max_length=500)]
    """Of perception: what `/call` is added to. Of a model: the base of an OpenAI-compatible API, with its `/v1`."""
    model: Annotated[str, Field(pattern=r"^openai:\S+$", max_length=200)] | None = None
    """The full name of a model."""
    ttl_s: Annotated[float, Field(gt=0, le=MAX_TTL_S)]
    """How long the entry holds, from when it is stored."""
    busy: NonNegativeInt = 0
    """Calls in progress, as the server itself counts them."""

    @model_validator(mode="after")
    def _require_model(self) -> Self:
        if (self.kind == "model") != (self.model is not None):
            raise ValueError("a server of kind `model` needs a model, and one of another kind has none")
        return self

    @property
    def key(self) -> str:
        """Return its key in the bucket: one for each kind, model and address."""
        return f"{self.kind}.{sha256(f'{self.model} {self.url}'.encode()).hexdigest()[:16]}"


@dataclass(frozen=True)
class RegisteredServer:
    """An entry that has not expired when it is read."""

    server: AnnouncedServer
    expires_at: datetime


def bucket_config() -> StreamConfig:
    """Return the configuration of the stream behind the bucket."""
    return bucket_stream(BUCKET, "Servers of models and perception; entries expire.", MAX_TTL_S)


class ServerRegistry:
    """Writes and reads entries over an open connection. Every call raises the errors of nats-py."""

    def __init__(self, js: Callable[[], JetStreamContext]) -> None:
        self._js = js

    async def announce(self, server: AnnouncedServer) -> None:
        """Store an entry, in place of the last one of this server."""
        await self._js().publish(_subject(server), server.model_dump_json().encode())

    async def withdraw(self, server: AnnouncedServer) -> None:
        """Remove the entry of a server."""
        await self._js().publish(_subject(server), b"", headers=DELETION)

    async def read(self) -> list[RegisteredServer]:
        """Return what holds now, the longest first; `NotFoundError` without a bucket. Malformed entries are logged."""
        info = await self._js().stream_info(BUCKET_STREAM, subjects_filter=EVERY_KEY)
        found = [await self._entry(subject) for subject in info.state.subjects or {}]
        now = datetime.now(UTC)
        held = [each for each in found if each is not None and each.expires_at > now]
        return sorted(held, key=lambda each: each.expires_at, reverse=True)

    async def _entry(self, subject: str) -> RegisteredServer | None:
        try:
            message = await self._js().get_last_msg(BUCKET_STREAM, subject)
        except NotFoundError:  # it expired a moment ago
            return None
        if not message.data or message.time is None:
            return None
        try:
            server = AnnouncedServer.model_validate_json(message.data)
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            _log.warning("the announced server at %s is malformed: %s", subject, problem["msg"])
            return None
        return RegisteredServer(server, message.time + timedelta(seconds=server.ttl_s))


def _subject(server: AnnouncedServer) -> str:
    return f"{EVERY_KEY[:-1]}{server.key}"
