"""Whether servers that exist can be reached."""

import asyncio
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from artifacts.port import ArtifactsUnavailableError
from chassis.errors import BusUnavailableError, ChassisError
from store.errors import DatabaseUnavailableError, StoreError

from local_stack.containers import BRING_UP, PASSWORDS
from local_stack.errors import UserError

PATIENCE_S = 30.0
RETRY_S = 0.5
USUAL_PORTS = {"NATS_URL": 4222, "DATABASE_URL": 5432, "S3_ENDPOINT": 9000}


def address(variable: str, value: str) -> tuple[str, int]:
    """Return host and port of a server's address; the URL's credentials stay out of every message."""
    try:
        parts = urlsplit(value if "://" in value else f"//{value}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UserError(f"{variable} is no address: {error}") from error
    if host is None:
        raise UserError(f"{variable} names no host; it looks like {_example(variable)}")
    return host, port or USUAL_PORTS[variable]


async def wait_for_servers(environment: Mapping[str, str], patience_s: float | None = None) -> None:
    """Knock at every server until it opens; raise `CannotGoOnError` when one stays closed."""
    patience_s = PATIENCE_S if patience_s is None else patience_s
    await asyncio.gather(
        *(_knock(name, *address(name, environment[name]), patience_s) for name in USUAL_PORTS if name in environment)
    )


async def _knock(variable: str, host: str, port: int, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while True:
        try:
            async with asyncio.timeout(5):
                _, writer = await asyncio.open_connection(host, port)
        except (OSError, TimeoutError) as error:
            if time.monotonic() > deadline:
                raise UserError(
                    f"no server answers at {host}:{port} ({variable}) within {patience_s:g} s: start it ({BRING_UP}), "
                    f"set {variable} to where it is, or unset NATS_URL, DATABASE_URL and S3_ENDPOINT to start our own"
                ) from error
            await asyncio.sleep(RETRY_S)
        else:
            writer.close()
            return


@contextmanager
def as_user_errors() -> Generator[None]:
    """Turn what our libraries say of unreachable or foreign servers into an error for the user."""
    try:
        yield
    except (ArtifactsUnavailableError, BusUnavailableError, DatabaseUnavailableError) as error:
        raise UserError(f"{error} ({PASSWORDS})") from error
    except (ChassisError, StoreError) as error:
        raise UserError(str(error)) from error


def _example(variable: str) -> str:
    return {
        "NATS_URL": "nats://127.0.0.1:4222",
        "DATABASE_URL": "postgresql://user:password@127.0.0.1:5432/millwright",
        "S3_ENDPOINT": "127.0.0.1:9000",
    }[variable]
