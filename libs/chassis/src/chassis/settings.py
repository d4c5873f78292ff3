"""Settings of the bus, from the environment."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict, SettingsError

from chassis.errors import SettingsUnreadableError


def _paths(value: object) -> object:
    """Split a list as in PATH; other values than text are left to pydantic."""
    return [each for each in value.split(os.pathsep) if each] if isinstance(value, str) else value


class BusSettings(BaseSettings):
    """One variable per field: NATS_URL, BUS_ACK_WAIT_S, OTEL_EXPORTER_OTLP_ENDPOINT and so on."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    nats_url: str = Field(default="nats://127.0.0.1:4222", repr=False)
    """`nats://user:password@host:port`; `tls://…` for an encrypted connection."""
    nats_tls_ca: Path | None = None
    """The certificates of the authorities that the server's may come from; None: those of this machine."""
    nats_tls_cert: Path | None = None
    """Our own certificate, for a server that asks for one; its key is in `nats_tls_key`."""
    nats_tls_key: Path | None = None
    nats_replicas: Literal[1, 3, 5] | None = None
    """On how many servers of a cluster `millwright migrate` keeps each stream and bucket; None: those that exist stay
    as they are, and new ones are on one."""
    bus_connect_timeout_s: PositiveFloat = 30.0
    """How long a start waits for a server that does not answer."""
    bus_ack_wait_s: PositiveFloat = 5.0
    """How long the server waits for an acknowledgement before it delivers a message again. Keepalives are sent five
    times as often, so the work of a killed process is taken over within this time. As leases, a process keeps its work
    through a pause of four seconds."""
    bus_max_deliver: PositiveInt = 10
    """After how many attempts a message is abandoned; see `chassis.delivery.attempts` for what counts."""
    bus_retry_delay_s: NonNegativeFloat = 1.0
    """Pause before the second attempt; it doubles from attempt to attempt, up to `bus_max_retry_delay_s`."""
    bus_max_retry_delay_s: PositiveFloat = 30.0
    bus_drain_s: PositiveFloat = 30.0
    """How long a stop waits for work in flight; what is not finished by then is left to another process."""
    bus_watch_s: PositiveFloat = 10.0
    """How often an app checks that its consumers exist."""
    bus_lease_ttl_s: PositiveFloat = 4.0
    """How long a worker that holds a session can fail to renew its lease before it doubts it; after a quarter more,
    another worker takes the session over."""
    disk_folders: Annotated[tuple[Path, ...], NoDecode, BeforeValidator(_paths)] = ()
    """Folders of servers on this machine, as in PATH: while a disk of theirs is almost full, new runs wait."""
    disk_reserve_mb: NonNegativeInt = 300
    """Free space below which they wait: what servers and one run may still write."""
    health_file: Path | None = None
    """Where a process writes its health; see `chassis.observability.health_file`."""
    health_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """Where a process answers probes of its health over HTTP; see `chassis.observability.health_server`."""
    otel_exporter_otlp_endpoint: str | None = None
    """Base URL of an OTLP/HTTP collector; without it traces are passed on, but no spans are recorded."""
    telemetry_every_s: PositiveFloat = 15.0
    """Interval of exports to the collector, and of a service's measurements of itself."""
    metrics_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """Where Prometheus scrapes `/metrics`; 0: any free port. In a stack of one machine, the first of a range: one port
    for each service."""
    metrics_host: str = "127.0.0.1"
    """The address of this port. Metrics need no password: let only Prometheus reach them."""


@contextmanager
def as_settings_errors() -> Generator[None]:
    """Turn invalid settings inside the block into `SettingsUnreadableError`, in one line and without their values."""
    try:
        yield
    except SettingsError as error:
        raise SettingsUnreadableError(f"{' '.join(str(error).split())}: the value must be JSON") from error
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        lines = (_line(*map(str, each["loc"]), each["msg"].removeprefix("Value error, ")) for each in details)
        raise SettingsUnreadableError("; ".join(lines)) from error


def _line(variable: str, *rest: str) -> str:
    return f"{variable.upper()}: {': '.join(rest)}"
