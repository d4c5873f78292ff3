"""What host and zygote say to each other, one JSON message per packet."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter


class Fork(BaseModel):
    """Fork a child. Three descriptors travel along: its channel, where it prints, and where its images go."""

    kind: Literal["fork"] = "fork"
    work: Literal["session", "job"]
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
