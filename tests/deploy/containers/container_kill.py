"""Kills the main process of a container, as the kernel does when memory is short; the engine then restarts it.

After `docker kill` the engine does not restart a container.
"""

import time
from typing import Annotated

from pydantic import BaseModel, Field

from tests.deploy.containers.compose_project import engine

IMAGE = "millwright/recorder"
"""An existing image with a shell, to kill from."""
RESTART_S = 300.0
POLL_S = 0.5


class Health(BaseModel):
    """The result of the engine's health checks."""

    status: Annotated[str, Field(alias="Status")]


class ContainerState(BaseModel):
    """The state of a container."""

    process: Annotated[int, Field(alias="Pid")]
    """The process id on the engine's machine."""
    started: Annotated[str, Field(alias="StartedAt")]
    health: Annotated[Health, Field(alias="Health")]


class Container(BaseModel):
    """A container as the engine reports it."""

    restarts: Annotated[int, Field(alias="RestartCount")]
    """How often the engine has restarted it."""
    state: Annotated[ContainerState, Field(alias="State")]


def inspect(container: str) -> Container:
    """Return the container's state."""
    return Container.model_validate_json(engine("inspect", "--format", "{{json .}}", container))


def kill_main_process(container: str) -> Container:
    """Kill its first process, wherever the engine is, and with it all others; return the state before."""
    before = inspect(container)
    options = ("--rm", "--pid", "host", "--network", "none", "--user", "0", "--cap-drop", "ALL", "--cap-add", "KILL")
    engine("run", *options, "--entrypoint", "sh", IMAGE, "-c", f"kill -9 {before.state.process}")
    return before


def wait_until_restarted(container: str, before: Container) -> None:
    """Wait until the engine has restarted the container and it is healthy."""
    deadline = time.monotonic() + RESTART_S
    while True:
        now = inspect(container)
        was_restarted = now.restarts > before.restarts and now.state.started != before.state.started
        if was_restarted and now.state.health.status == "healthy":
            return
        assert time.monotonic() < deadline, f"{container} was not restarted: {now}"
        time.sleep(POLL_S)
