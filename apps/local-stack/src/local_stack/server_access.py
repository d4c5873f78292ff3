"""Access to the servers that variables name: addresses, settings, a wait until they listen, and error translation."""

import asyncio
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

from artifacts.port import ArtifactsUnavailableError
from artifacts.settings import S3Settings
from chassis.errors import BusUnavailableError, ChassisError
from chassis.settings import BusSettings
from pydantic import ValidationError
from store.errors import DatabaseUnavailableError, StoreError
from store.settings import DatabaseSettings, RetentionSettings

from local_stack.errors import PASSWORD_HINT, START_HINT, UserError
from local_stack.settings import invalid_setting

LISTENING_S = 30.0
CONNECT_S = 5.0
RETRY_S = 0.5
DEFAULT_PORTS = {"NATS_URL": 4222, "DATABASE_URL": 5432, "S3_ENDPOINT": 9000}
EXAMPLES = {
    "NATS_URL": "nats://127.0.0.1:4222",
    "DATABASE_URL": "postgresql://user:password@127.0.0.1:5432/millwright",
    "S3_ENDPOINT": "127.0.0.1:9000",
}

AnySettings = TypeVar("AnySettings", BusSettings, S3Settings, DatabaseSettings, RetentionSettings)


def settings_from(kind: type[AnySettings], environment: Mapping[str, str]) -> AnySettings:
    """Return settings from these variables and, for those they leave out, from the process's environment."""
    given: dict[str, Any] = {name.lower(): value for name, value in environment.items()}
    try:
        return kind(**given)
    except ValidationError as error:
        raise invalid_setting(error) from error


def address(variable: str, value: str) -> tuple[str, int]:
    """Return host and port of a server; the credentials in its URL stay out of every message."""
    try:
        parts = urlsplit(value if "://" in value else f"//{value}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UserError(f"{variable} is not an address: {error}") from error
    if host is None:
        raise UserError(f"{variable} has no host; expected something like {EXAMPLES[variable]}")
    return host, port or DEFAULT_PORTS[variable]


async def wait_for_servers(environment: Mapping[str, str], timeout_s: float | None = None) -> None:
    """Wait until every named server accepts connections; raise `UserError` for one that does not."""
    timeout_s = LISTENING_S if timeout_s is None else timeout_s
    await asyncio.gather(
        *(
            _wait_for(name, *address(name, environment[name]), timeout_s)
            for name in DEFAULT_PORTS
            if name in environment
        )
    )


async def _wait_for(variable: str, host: str, port: int, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(host, port)
        except OSError as error:  # TimeoutError is one
            if time.monotonic() > deadline:
                raise UserError(
                    f"no server answers at {host}:{port} ({variable}) within {timeout_s:g} s: start it ({START_HINT}), "
                    f"correct {variable}, or unset NATS_URL, DATABASE_URL and S3_ENDPOINT to start local servers"
                ) from error
            await asyncio.sleep(RETRY_S)
        else:
            writer.close()
            return


@contextmanager
def as_user_errors() -> Generator[None]:
    """Turn errors of our libraries about unreachable or unsuitable servers into `UserError`."""
    try:
        yield
    except (ArtifactsUnavailableError, BusUnavailableError, DatabaseUnavailableError) as error:
        raise UserError(f"{error} ({PASSWORD_HINT})") from error
    except (ChassisError, StoreError) as error:
        raise UserError(str(error)) from error
