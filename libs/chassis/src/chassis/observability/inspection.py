"""A look at a NATS server from outside, for whoever wants to tell what is wrong with it. Changes nothing."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import math
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import urlsplit

from contracts.publishers import SERVICES
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js.api import ConsumerConfig, ConsumerInfo, StreamInfo
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError
from pydantic import BaseModel

from chassis.app import App
from chassis.delivery.reconciliation import differences
from chassis.settings import BusSettings
from chassis.stream.connection import close, inbox_of
from chassis.stream.provisioning import drifted_fields
from chassis.stream.subjects import STREAM

INSPECTOR = "admin"
"""The user that may read everything: see `chassis.stream.provisioning`. A service's own user may not."""
NOT_ENABLED = (10039, 10076)
"""JetStream's own words for being switched off, for the account or the server."""

Trouble = Literal["silent", "refused", "not_let_in", "no_jetstream"]


class BusTroubleError(Exception):
    """The server cannot be looked at."""

    def __init__(self, kind: Trouble, detail: str) -> None:
        super().__init__(detail)
        self.kind: Trouble = kind


@dataclass(frozen=True)
class ConsumerState:
    """How far a consumer is."""

    config: ConsumerConfig
    waiting: int
    """Messages that were never delivered."""
    in_flight: int
    """Messages that were delivered and not yet acked."""
    acked_up_to: int
    readers: int
    """Requests for messages that stand open: nobody reads when there is none."""

    @property
    def behind(self) -> int:
        """Messages that are not done."""
        return self.waiting + self.in_flight


@dataclass(frozen=True)
class BusState:
    """What was seen."""

    version: str
    max_payload_bytes: int
    time: datetime | None
    """The server's clock; None while there is no stream to be asked about."""
    has_stream: bool
    last_sequence: int
    drifted: tuple[str, ...]
    """Settings of the stream that are not as they must be."""
    consumers: Mapping[str, ConsumerState] | None
    """None: the user that we came as may not see them."""


class _Stamped(BaseModel):
    ts: datetime | None = None


async def inspect(settings: BusSettings, timeout_s: float) -> BusState:
    """Look; raise `BusTroubleError` when that cannot be done."""
    try:
        async with asyncio.timeout(timeout_s), _connected(settings, timeout_s) as client:
            return await _look(client, timeout_s, sees_all=service_of(settings) is None)
    except TimeoutError as error:
        raise BusTroubleError("silent", f"no answer within {timeout_s:g} s") from error
    except (NoRespondersError, ServiceUnavailableError) as error:
        raise BusTroubleError("no_jetstream", "nobody answers JetStream's requests") from error
    except APIError as error:
        kind: Trouble = "no_jetstream" if error.err_code in NOT_ENABLED else "silent"
        raise BusTroubleError(kind, error.description or repr(error)) from error
    except NatsError as error:
        denied = "Authorization" in str(error) or "Authentication" in str(error)
        raise BusTroubleError("not_let_in" if denied else "refused", str(error)) from error
    except OSError as error:
        raise BusTroubleError("refused", error.strerror or str(error)) from error


@asynccontextmanager
async def _connected(settings: BusSettings, timeout_s: float) -> AsyncGenerator[Client]:
    _, writer = await asyncio.open_connection(*_address(settings))  # nats-py would try for two minutes
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    client = Client()
    try:
        await client.connect(
            settings.nats_url,
            name="doctor",
            inbox_prefix=inbox_of(service_of(settings) or INSPECTOR),
            allow_reconnect=False,
            connect_timeout=math.ceil(timeout_s),
            error_cb=_ignore,
        )
        yield client
    finally:
        await close(client)


def service_of(settings: BusSettings) -> str | None:
    """Return the service as whose user we come, if it is one's: see `chassis.stream.permissions`."""
    user = urlsplit(_url(settings)).username
    return user if user in SERVICES else None


def _address(settings: BusSettings) -> tuple[str, int]:
    server = _url(settings).split("://", 1)[1].rsplit("@", 1)[-1].split(",")[0].rstrip("/")
    host, _, port = server.rpartition(":")
    return (host or server).strip("[]"), int(port) if host and port.isdigit() else 4222


def _url(settings: BusSettings) -> str:
    return settings.nats_url if "://" in settings.nats_url else f"nats://{settings.nats_url}"


async def _look(client: Client, timeout_s: float, *, sees_all: bool) -> BusState:
    js = client.jetstream(timeout=timeout_s)
    try:
        stream: StreamInfo | None = await js.stream_info(STREAM)
    except NotFoundError:
        stream = None
    found = await _consumers(client, timeout_s) if stream and sees_all else []
    return BusState(
        version=str(client.connected_server_version).removeprefix("<nats server v").removesuffix(">"),
        max_payload_bytes=client.max_payload,
        time=await _time(client, timeout_s) if stream else None,
        has_stream=stream is not None,
        last_sequence=stream.state.last_seq if stream else 0,
        drifted=tuple(drifted_fields(stream.config)) if stream else (),
        consumers={info.name: _state(info) for info in found} if sees_all else None,
    )


async def _consumers(client: Client, timeout_s: float) -> list[ConsumerInfo]:
    js = client.jetstream(timeout=timeout_s)
    found: list[ConsumerInfo] = []
    while page := await js.consumers_info(STREAM, offset=len(found)):
        found += page
    return found


async def _time(client: Client, timeout_s: float) -> datetime | None:
    """Return the server's clock, which only the raw answer tells."""
    answer = await client.request(f"$JS.API.STREAM.INFO.{STREAM}", b"", timeout=timeout_s)
    return _Stamped.model_validate_json(answer.data).ts


def _state(info: ConsumerInfo) -> ConsumerState:
    return ConsumerState(
        config=info.config,
        waiting=info.num_pending or 0,
        in_flight=info.num_ack_pending or 0,
        acked_up_to=info.ack_floor.stream_seq if info.ack_floor else 0,
        readers=info.num_waiting or 0,
    )


async def _ignore(_error: Exception) -> None:
    """The caller is told by an exception."""


def consumer_problems(state: BusState, apps: Iterable[App]) -> dict[str, str]:
    """Return in words what is wrong with the consumers of these apps, which need not be started, by durable name."""
    found = {durable: consumer.config for durable, consumer in (state.consumers or {}).items()}
    problems: dict[str, str] = {}
    for app in apps:
        for wanted in app.planned_consumers:
            durable = wanted.durable_name or ""
            if durable not in found:
                problems[durable] = "is missing"
            elif differing := differences(wanted, found[durable]):
                problems[durable] = f"was changed: {'; '.join(differing)}"
    return problems
