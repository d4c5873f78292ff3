"""Messages between host and zygote: one JSON message per packet, file descriptors attached."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter


class Programs(BaseModel):
    """The first packet: what children can run, and what the zygote imports so that no child has to."""

    entry_points: tuple[str, ...]
    """Functions that a child can run, each as `module:function`. The function receives the descriptor of the child's
    message channel; the child ends when it returns."""
    preload: tuple[str, ...] = ()
    """Modules to import, in this order, before those of the entry points. None of them may leave a thread running."""
    sealed: tuple[str, ...] = ()
    """Packages of a checkout whose folders no child can read: what they need of them is imported before."""
    import_paths: tuple[Path, ...] = ()
    """Folders to import from, besides the interpreter's."""
    environment: Mapping[str, str] = {}
    """Variables that children see besides `CLEAN_ENVIRONMENT`."""


class Fork(BaseModel):
    """Fork a child. Three descriptors are attached: its message channel, its output and its images."""

    kind: Literal["fork"] = "fork"
    entry_point: str
    """One of `Programs.entry_points`."""
    workspace: Path
    user: int | None
    """The user id that the child takes; None: it keeps the worker's."""
    cpu_s: int
    niceness: int
    landlock_abi: int | None


class Signal(BaseModel):
    """Send a signal to a child that is alive."""

    kind: Literal["signal"] = "signal"
    pid: int
    number: int


class Ready(BaseModel):
    """The zygote has imported everything."""

    kind: Literal["ready"] = "ready"


class ConfinementUnavailable(BaseModel):
    """This machine cannot confine a child."""

    kind: Literal["unfit"] = "unfit"
    reasons: list[str]


class Forked(BaseModel):
    """Answers `Fork`, in order."""

    kind: Literal["forked"] = "forked"
    pid: int


class Exited(BaseModel):
    """A child has ended."""

    kind: Literal["exited"] = "exited"
    pid: int
    exit_code: int
    """Negative: the signal that killed it."""


ToZygote: TypeAdapter[Fork | Signal] = TypeAdapter(Annotated[Fork | Signal, Field(discriminator="kind")])
FromZygote: TypeAdapter[Ready | ConfinementUnavailable | Forked | Exited] = TypeAdapter(
    Annotated[Ready | ConfinementUnavailable | Forked | Exited, Field(discriminator="kind")]
)
PACKET_BYTES = 65536
