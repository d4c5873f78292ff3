"""The protocol between host and zygote, one JSON message per packet."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter


class Programs(BaseModel):
    """What children can run, and what the zygote imports beforehand so that no child has to. The first packet."""

    entry_points: dict[str, str]
    """By name: `module:function`. The function gets the descriptor of the child's channel, and ends the child when it
    returns."""
    preload: tuple[str, ...] = ()
    """Modules, in this order. Neither they nor the entry points' modules may leave a thread behind."""


class Fork(BaseModel):
    """Fork a child. Three descriptors travel along: its channel, where it prints, and where its images go."""

    kind: Literal["fork"] = "fork"
    entry_point: str
    """One of `Programs.entry_points`."""
    workspace: Path
    user: int | None
    """Whom the child becomes; None: it stays who the worker is."""
    memory_mib: int
    cpu_s: int
    landlock_abi: int | None


class Signal(BaseModel):
    """Send a signal to a child, if it still lives."""

    kind: Literal["signal"] = "signal"
    pid: int
    number: int


class Ready(BaseModel):
    """Everything is imported and a first child was confined."""

    kind: Literal["ready"] = "ready"


class Unfit(BaseModel):
    """This machine cannot confine a child."""

    kind: Literal["unfit"] = "unfit"
    reasons: list[str]


class Forked(BaseModel):
    """Answers `Fork`, in order."""

    kind: Literal["forked"] = "forked"
    pid: int


class Exited(BaseModel):
    """A child is gone."""

    kind: Literal["exited"] = "exited"
    pid: int
    exit_code: int
    """Negative: the signal that killed it."""


ToZygote: TypeAdapter[Fork | Signal] = TypeAdapter(Annotated[Fork | Signal, Field(discriminator="kind")])
FromZygote: TypeAdapter[Ready | Unfit | Forked | Exited] = TypeAdapter(
    Annotated[Ready | Unfit | Forked | Exited, Field(discriminator="kind")]
)
PACKET_BYTES = 65536
