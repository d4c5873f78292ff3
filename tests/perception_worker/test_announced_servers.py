"""Announced GPU servers: found while a question runs, kept by a run, and replaced when they die."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from chassis.servers.look_up import AnnouncedServers
from chassis.servers.registry import AnnouncedServer
from contracts.events.perception import Reconstruct
from perception_worker.gpu.backend import GpuBackend
from perception_worker.gpu.client import GpuClient
from perception_worker.gpu.servers import Servers
from perception_worker.results import RefusedError
from perception_worker.simulator.backend import SimulatorBackend

from tests.support.clusters.server_registry import registry_in
from tests.support.questions.gpu_server import TOKEN, FakeGpuServer, running
from tests.support.questions.perception import Question, question_about, table_scene

RUN, OTHER_RUN = UUID(int=1), UUID(int=2)


@pytest.fixture(scope="module")
def question(backend: SimulatorBackend) -> Question:
    return question_about(backend, table_scene())


@asynccontextmanager
async def gpu_of(announced: AnnouncedServers, wait_s: float = 0) -> AsyncGenerator[GpuBackend]:
    client = GpuClient(Servers(()), TOKEN, 30, wait_s, announced)
    try:
        yield GpuBackend(client)
    finally:
        await client.stop()


def entry(server: FakeGpuServer, **fields: object) -> AnnouncedServer:
    return AnnouncedServer.model_validate({"kind": "perception", "url": server.address, "ttl_s": 600, **fields})


async def test_run_keeps_its_server_and_moves_when_it_dies(
    backend: SimulatorBackend, question: Question, tmp_path: Path
) -> None:
    async def ask(run_id: UUID) -> None:
        await gpu.answer(Reconstruct(kind="reconstruct", frames=question.frames), question.files, run_id)

    with running(FakeGpuServer(backend, question)) as first, running(FakeGpuServer(backend, question)) as second:
        async with registry_in(tmp_path, "perception") as (registry, announced), gpu_of(announced) as gpu:
            await registry.announce(entry(first))
            await ask(RUN)
            await registry.announce(entry(first, busy=5))
            await registry.announce(entry(second, busy=1))
            await ask(RUN)
            assert (len(first.methods), len(second.methods)) == (2, 0)
            await ask(OTHER_RUN)  # the server with fewer calls
            assert (len(first.methods), len(second.methods)) == (2, 1)
            first.status = 500
            await ask(RUN)
            first.status = None
            await ask(RUN)  # the first one still rests
            assert (len(first.methods), len(second.methods)) == (2, 3)


async def test_server_is_not_called_once_its_entry_is_gone(
    backend: SimulatorBackend, question: Question, tmp_path: Path
) -> None:
    operation = Reconstruct(kind="reconstruct", frames=question.frames)
    with running(FakeGpuServer(backend, question)) as server:
        async with registry_in(tmp_path, "perception") as (registry, announced), gpu_of(announced) as gpu:
            await registry.announce(entry(server))
            await gpu.answer(operation, question.files, RUN)
            await registry.withdraw(entry(server))
            with pytest.raises(RefusedError, match="no GPU server is configured or announced") as refused:
                await gpu.answer(operation, question.files, RUN)
    assert refused.value.reason == "backend_unavailable"
    assert len(server.methods) == 1
