"""A run that meets a damaged blob ends, and names it: S3 answers for it as in an outage, which would be waited for."""

from dataclasses import replace
from uuid import uuid4

import pytest
from artifacts.port import reference
from benchmarks.loader import load
from contracts.events.run import RunFailed
from contracts.models.benchmark import Limits
from local_stack.servers.server_stack import ServerStack
from run_requests.request import RunOptions, engineering_request

from tests.artifacts.stored_bits import flip_bit
from tests.support.clusters.cluster import Endpoints, in_process

NOT_COMPRESSED = "model/step"
"""SeaweedFS packs texts, in which no bit could be found."""


@pytest.mark.full
@pytest.mark.timeout(300)
async def test_run_that_meets_a_damaged_blob_ends_with_its_digest(
    servers: ServerStack, real_servers: Endpoints
) -> None:
    loaded = load("gravity-chute", 3)
    data = f"# {uuid4()}\n".encode() + loaded.environment_code
    code = reference(data, NOT_COMPRESSED)
    loaded = replace(loaded, variant=loaded.variant.model_copy(update={"environment_code": code}))
    requested = engineering_request(RunOptions("gravity-chute", 3, "offline", 100, Limits()), loaded)
    async with in_process(real_servers) as client:
        await client.artifacts.put(data, NOT_COMPRESSED)
        await client.artifacts.wait_until_uploaded([code])
        flip_bit(servers.folder, data)
        await client.bus.publish(requested)
        end = await client.bus.wait_for_end(requested.run_id)
    assert isinstance(end, RunFailed)
    assert (end.reason, code.sha256 in end.detail) == ("abandoned", True), end
