"""Generated requests by schemathesis: docs/openapi.json and the gateway must agree in every answer, and none fails."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from gateway.settings import ApiToken, Settings

from tests.architecture.repository import ROOT
from tests.gateway.gateway_client import running
from tests.gateway.regenerate import FILE

START_S = 120.0
HOOKS = "tests.gateway.valid_files"
PROGRAM = Path(sys.executable).with_name("st")


@contextmanager
def serving(settings: Settings) -> Generator[str]:
    """Yield the address of a gateway on an event loop of its own, since the generated requests block."""
    ready, stop, found = threading.Event(), asyncio.Event(), list[str]()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with running(settings) as gateway:
            found.append(gateway.app.url)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(START_S)
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def findings_at(
    address: str, token: ApiToken, folder: Path, options: tuple[str, ...], known: Mapping[str, str] | None = None
) -> tuple[bool, str]:
    """Let schemathesis send requests of every operation with a token; return whether it found nothing, and its report.

    `known` are parameters of paths that name something, which all requests have then.
    """
    config = folder / "schemathesis.toml"
    lines = [f'"path.{name}" = "{value}"' for name, value in (known or {}).items()]
    config.write_text("\n".join([f'hooks = "{HOOKS}"', "[parameters]", *lines, ""]), "utf-8")
    authorization = f"Authorization: Bearer {token.token.get_secret_value()}"
    command = [str(PROGRAM), "--config-file", str(config), "run", str(FILE), "--url", address, "--seed", "1", *options]
    command += ["--header", authorization, "--request-timeout", "60", "--no-color", "--workers", "1"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # for the hooks; the folder takes what schemathesis stores
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout + done.stderr
