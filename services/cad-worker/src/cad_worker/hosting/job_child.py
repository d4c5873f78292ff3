"""A confined child that does one job and is gone."""

import importlib
from collections.abc import Callable

from pydantic import BaseModel

from cad_worker.exchange import JOBS, Parcel
from cad_worker.hosting.channel import Channel


class JobOrder(BaseModel):
    """What the host wants done: a function of `JOBS`, and its request as JSON."""

    function: str
    request_json: str


class JobDone(BaseModel):
    """The reply, as JSON of the job's reply class."""

    reply_json: str


def live(descriptor: int) -> None:
    """Do the job that the host orders. A failure ends the child; the host reads why on its output."""
    channel = Channel(descriptor)
    order = channel.receive(JobOrder)
    job = JOBS[order.function]
    module, _, name = job.function.partition(":")
    function: Callable[[Parcel], Parcel] = getattr(importlib.import_module(module), name)
    reply = function(job.request.model_validate_json(order.request_json))
    channel.send(JobDone(reply_json=reply.model_dump_json()))
