"""What the bus needs to know of the world it runs in."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from pydantic import Field, NonNegativeFloat, PositiveFloat, PositiveInt, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from chassis.errors import SettingsUnreadableError


class BusSettings(BaseSettings):
    """Read from the environment, field by field: NATS_URL, BUS_ACK_WAIT_S, OTEL_EXPORTER_OTLP_ENDPOINT and so on."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True)

    nats_url: str = Field(default="nats://127.0.0.1:4222", repr=False)
    bus_connect_timeout_s: PositiveFloat = 30.0
    """How long a start waits for a server that does not answer."""
    bus_ack_wait_s: PositiveFloat = 10.0
    """How long the server waits for a sign of life before it hands a message to somebody else. Heartbeats come
    three times as often, so the work of a killed process is taken up again within this time."""
    bus_max_deliver: PositiveInt = 10
    """How often a message is tried before it is abandoned."""
    bus_retry_delay_s: NonNegativeFloat = 1.0
    """Pause before the second try; it doubles from try to try, up to `bus_max_retry_delay_s`."""
    bus_max_retry_delay_s: PositiveFloat = 30.0
    bus_drain_s: PositiveFloat = 30.0
    """How long a stop waits for work in hand; what is not done by then is done again by somebody else."""
    bus_watch_s: PositiveFloat = 10.0
    """How often an app looks whether its consumers still exist."""
    bus_lease_ttl_s: PositiveFloat = 4.0
    """How long a worker that holds a session may be silent before it doubts that it still does; after a quarter more,
    another one takes the session over."""
    health_file: Path | None = None
    """Where a process of its own tells its health; see `chassis.observability.health_file`."""
    otel_exporter_otlp_endpoint: str | None = None
    """Base URL of an OTLP/HTTP collector; without it traces are passed on, but no spans of our own are made."""


@contextmanager
def reading() -> Generator[None]:
    """Raise `SettingsUnreadableError`, in one line without values, for whatever is wrong with the environment."""
    try:
        yield
    except SettingsError as error:
        raise SettingsUnreadableError(f"{' '.join(str(error).split())}: JSON is wanted there") from error
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False, include_context=False)
        told = [(*map(str, each["loc"]), each["msg"].removeprefix("Value error, ")) for each in details]
        raise SettingsUnreadableError("; ".join(_line(*each) for each in told)) from error


def _line(variable: str, *rest: str) -> str:
    return f"{variable.upper()}: {': '.join(rest)}"
