"""Killing what runs in a container, as the kernel does when memory is short; the engine starts it again by itself.

`docker kill` is something else: the engine takes it for a wish that the container stays away.
"""

import time
from typing import Annotated

from pydantic import BaseModel, Field

from tests.deploy.composition import engine

IMAGE = "millwright/recorder"
"""An image that is there, with a shell, to kill from."""
PATIENCE_S = 300.0
LOOK_AGAIN_S = 0.5


class Health(BaseModel):
    """What the engine's own questions to a container have come to."""

    status: Annotated[str, Field(alias="Status")]


class State(BaseModel):
    """How a container is."""

    process: Annotated[int, Field(alias="Pid")]
    """As the engine's machine counts processes."""
    started: Annotated[str, Field(alias="StartedAt")]
    health: Annotated[Health, Field(alias="Health")]


class Container(BaseModel):
    """What the engine says of a container."""

    restarts: Annotated[int, Field(alias="RestartCount")]
    """How often the engine has started it again by itself."""
    state: Annotated[State, Field(alias="State")]


def look_at(container: str) -> Container:
    """Ask the engine."""
    return Container.model_validate_json(engine("inspect", "--format", "{{json .}}", container))


def kill_what_runs_in(container: str) -> Container:
    """Kill its first process, wherever the engine is, and with it all others; return how the container was."""
    before = look_at(container)
    options = ("--rm", "--pid", "host", "--network", "none", "--user", "0", "--cap-drop", "ALL", "--cap-add", "KILL")
    engine("run", *options, "--entrypoint", "sh", IMAGE, "-c", f"kill -9 {before.state.process}")
    return before


def until_back(container: str, before: Container) -> None:
    """Wait until the engine has started it again and it is well; nobody else does anything for that."""
    patience_ends = time.monotonic() + PATIENCE_S
    while True:
        now = look_at(container)
        again = now.restarts > before.restarts and now.state.started != before.state.started
        if again and now.state.health.status == "healthy":
            return
        assert time.monotonic() < patience_ends, f"{container} is not back: {now}"
        time.sleep(LOOK_AGAIN_S)
