"""Jobs: one function call in a fresh confined child, from a request to a reply, both pydantic models.

Only their JSON crosses. The host knows a job's function by name and never imports its module, which may need libraries
that the host must not load.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, get_type_hints

from pydantic import BaseModel

from sandbox.channels.channel import TRUSTED, ChildChannel, MessageLimits

JOB_ENTRY_POINT = "sandbox.jobs:run"

Q = TypeVar("Q", bound=BaseModel)
R = TypeVar("R", bound=BaseModel)


class JobFailedError(RuntimeError):
    """A job's child died, sent a malformed reply or ran out of time; the message ends with its last output."""

    def __init__(self, message: str, excess: str = "") -> None:
        """`excess` is the limit that the child exceeded, such as `it ran 60 s of CPU time`, if it was one."""
        super().__init__(message)
        self.excess = excess


@dataclass(frozen=True)
class Job(Generic[Q, R]):
    """A function from a request to a reply, which a child runs."""

    function: str
    """`module:name`. Its parameter is annotated with the class of the request."""
    request: type[Q]
    reply: type[R]
    limits: MessageLimits = TRUSTED
    """Of the reply: `UNTRUSTED` for a function that runs code which is not our own."""

    @property
    def module(self) -> str:
        """The function's module."""
        return self.function.partition(":")[0]


class JobOrder(BaseModel):
    """Run this function on this request."""

    function: str
    request_json: str


class JobDone(BaseModel):
    """The reply of the function."""

    reply_json: str


def run(descriptor: int) -> None:
    """Run the job that the host orders: the entry point of a child. An exception ends the child with a traceback."""
    channel = ChildChannel(descriptor)
    order = channel.receive(JobOrder)
    module, _, name = order.function.partition(":")
    function: Callable[[BaseModel], BaseModel] = getattr(importlib.import_module(module), name)
    request_class: type[BaseModel] = next(iter(get_type_hints(function).values()))
    reply = function(request_class.model_validate_json(order.request_json))
    channel.send(JobDone(reply_json=reply.model_dump_json()))
