"""Inspection of a NATS server from outside, for finding what is wrong with it. Changes nothing."""

# pyright: reportUnknownMemberType=false
# nats-py leaves the options of `connect` untyped.

import asyncio
import math
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from contracts.envelope import SERVICES
from contracts.settings import FailureKind, ServerInspectionError
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoRespondersError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, ConsumerInfo
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError
from pydantic import BaseModel

from chassis.administration.provisioning import ADMIN, drifted_fields
from chassis.app import App
from chassis.delivery.advisories import ADVISORY_STREAM
from chassis.delivery.attempt_stream import ATTEMPT_STREAM
from chassis.delivery.reconciliation import differences
from chassis.errors import BusUnavailableError
from chassis.leases.bucket import BUCKET_STREAM
from chassis.servers import registry
from chassis.settings import BusSettings
from chassis.stream.connection import close, inbox_of, server_address
from chassis.stream.reads import find_stream, list_consumers
from chassis.stream.tls import check_tls, tls_context
from chassis.subjects import STREAM

NOT_ENABLED = (10039, 10076)
"""JetStream's error codes when it is disabled, for the account or the server."""


@dataclass(frozen=True)
class ConsumerState:
    """Configuration and progress of a consumer."""

    config: ConsumerConfig
    waiting: int
    """Messages that were never delivered."""
    in_flight: int
    """Messages that were delivered and are not acknowledged."""
    acked_up_to: int
    readers: int
    """Open requests for messages: no process reads when there are none."""

    @property
    def behind(self) -> int:
        """Messages that are not acknowledged."""
        return self.waiting + self.in_flight


@dataclass(frozen=True)
class BusState:
    """The state of a server with JetStream."""

    version: str
    max_payload_bytes: int
    time: datetime | None
    """The server's clock; None without a stream, whose state contains it."""
    has_stream: bool
    last_sequence: int
    drifted: tuple[str, ...]
    """Fields of the stream's configuration that differ from what is needed."""
    consumers: Mapping[str, ConsumerState] | None
    """By durable name; None if the user may not list them."""
    missing_streams: tuple[str, ...] = ()
    """Of those besides the log that services need; empty if the user may not list consumers."""


class _StreamInfo(BaseModel):
    ts: datetime | None = None


async def inspect(settings: BusSettings, timeout_s: float) -> BusState:
    """Return the state of the server; raise `ServerInspectionError` if it cannot be inspected."""
    try:
        async with asyncio.timeout(timeout_s), _connected(settings, timeout_s) as client:
            return await _inspect(client, timeout_s, lists_consumers=service_of(settings) is None)
    except BusUnavailableError as error:
        raise ServerInspectionError("refused", str(error)) from error
    except TimeoutError as error:
        raise ServerInspectionError("no_answer", f"no answer within {timeout_s:g} s") from error
    except (NoRespondersError, ServiceUnavailableError) as error:
        raise ServerInspectionError("no_jetstream", "JetStream does not answer") from error
    except APIError as error:
        kind: FailureKind = "no_jetstream" if error.err_code in NOT_ENABLED else "no_answer"
        raise ServerInspectionError(kind, error.description or repr(error)) from error
    except NatsError as error:
        denied = "Authorization" in str(error) or "Authentication" in str(error)
        raise ServerInspectionError("unauthorized" if denied else "refused", str(error)) from error
    except OSError as error:
        raise ServerInspectionError("refused", error.strerror or str(error)) from error


@asynccontextmanager
async def _connected(settings: BusSettings, timeout_s: float) -> AsyncGenerator[Client]:
    await check_tls(settings, *server_address(settings))  # nats-py would try for two minutes
    client = Client()
    try:
        await client.connect(
            settings.nats_url,
            name="doctor",
            inbox_prefix=inbox_of(service_of(settings) or ADMIN),
            allow_reconnect=False,
            connect_timeout=math.ceil(timeout_s),
            error_cb=_ignore,
            tls=tls_context(settings),
        )
        yield client
    finally:
        await close(client)


async def _ignore(_error: Exception) -> None:
    """Leave the report to the exception that the call raises."""


def service_of(settings: BusSettings) -> str | None:
    """Return the service whose user the settings name, if any: see `chassis.administration.permissions`."""
    url = settings.nats_url if "://" in settings.nats_url else f"nats://{settings.nats_url}"
    user = urlsplit(url).username
    return user if user in SERVICES else None


async def _inspect(client: Client, timeout_s: float, *, lists_consumers: bool) -> BusState:
    js = client.jetstream(timeout=timeout_s)
    stream = await find_stream(js)
    found = await list_consumers(js) if stream and lists_consumers else []
    return BusState(
        version=str(client.connected_server_version).removeprefix("<nats server v").removesuffix(">"),
        max_payload_bytes=client.max_payload,
        time=await _time(client, timeout_s) if stream else None,
        has_stream=stream is not None,
        last_sequence=stream.state.last_seq if stream else 0,
        drifted=tuple(drifted_fields(stream.config)) if stream else (),
        consumers={info.name: _state(info) for info in found} if lists_consumers else None,
        missing_streams=await _missing_streams(js) if lists_consumers else (),
    )


async def _missing_streams(js: JetStreamContext) -> tuple[str, ...]:
    missing: list[str] = []
    for name in (ATTEMPT_STREAM, ADVISORY_STREAM, BUCKET_STREAM, registry.BUCKET_STREAM):
        try:
            await js.stream_info(name)
        except NotFoundError:
            missing.append(name)
    return tuple(missing)


async def _time(client: Client, timeout_s: float) -> datetime | None:
    """Return the server's clock, which nats-py drops from the answer."""
    answer = await client.request(f"$JS.API.STREAM.INFO.{STREAM}", b"", timeout=timeout_s)
    return _StreamInfo.model_validate_json(answer.data).ts


def _state(info: ConsumerInfo) -> ConsumerState:
    return ConsumerState(
        config=info.config,
        waiting=info.num_pending or 0,
        in_flight=info.num_ack_pending or 0,
        acked_up_to=info.ack_floor.stream_seq if info.ack_floor else 0,
        readers=info.num_waiting or 0,
    )


def consumer_problems(state: BusState, apps: Iterable[App]) -> dict[str, str]:
    """Return what is wrong with the consumers of these apps, which need not be started, by durable name."""
    found = {durable: consumer.config for durable, consumer in (state.consumers or {}).items()}
    problems: dict[str, str] = {}
    for planned in (each for app in apps for each in app.planned_consumers if each.stream == STREAM):
        if planned.durable not in found:
            problems[planned.durable] = "is missing"
        elif differing := differences(planned.config, found[planned.durable]):
            problems[planned.durable] = f"was changed: {'; '.join(differing)}"
    return problems
