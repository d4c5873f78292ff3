"""A confined child that does one job and is gone."""

import importlib
from collections.abc import Callable

from pydantic import BaseModel
from sandbox.channels.channel import Channel

from cad_worker.job_protocol import JOBS, WireModel


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
    function: Callable[[WireModel], WireModel] = getattr(importlib.import_module(module), name)
    reply = function(job.request.model_validate_json(order.request_json))
    channel.send(JobDone(reply_json=reply.model_dump_json()))
