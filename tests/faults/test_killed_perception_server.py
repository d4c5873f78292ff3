"""A perception server is killed with SIGKILL in the middle of a call: the question is answered once it is back."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from artifacts.settings import S3Settings
from contracts.envelope import Event
from contracts.events.perception import PerceptionCompleted, PerceptionFailed
from contracts.events.question import QuestionAnswered
from contracts.events.session import CellCompleted
from contracts.models.questions.question import QuestionLimits
from perception_worker.gpu.servers import LOST_S

from tests.engineer.engineer_harness import cell_reply
from tests.flows.scripted_runs import ScriptedEndpoints
from tests.spatial_agent.question_harness import SHADES, picture, question_asked
from tests.support.clusters.cluster import Client, in_process
from tests.support.clusters.fake_provider import FakeProvider, completion
from tests.support.questions.server_process import ServerProcess

RUN_S = 200.0
CELLS = (
    "rec = tools.Reconstruct()\nprint(rec.depth[10].max())",
    "masks = tools.SAM3.segment_video_by_text('bright')\nReturnAnswer(masks.frames_with('bright_1')[0])",
)
"""The last one is written again until it works."""
pytestmark = [pytest.mark.timeout(600), pytest.mark.asyncio(loop_scope="session")]


@dataclass(frozen=True)
class ServedEndpoints(ScriptedEndpoints):
    """With a perception server, for which a request is kept waiting so long."""

    server: ServerProcess
    wait_s: float

    def settings(self, service: str = "") -> dict[str, Any]:
        served = {name.lower(): value for name, value in self.server.variables.items()}
        return super().settings(service) | served | {"perception_gpu_wait_s": self.wait_s}


@pytest.fixture
def server(tmp_path: Path) -> Generator[ServerProcess]:
    """Return a server that holds calls about videos."""
    server = ServerProcess(Path(sys.executable), "tests.support.questions.perception_server", tmp_path / "log")
    server.start("holds")
    yield server
    server.kill()


@asynccontextmanager
async def services(
    endpoints: tuple[str, str, S3Settings], server: ServerProcess, wait_s: float
) -> AsyncGenerator[Client]:
    """Run all services with a scripted model."""
    replies = [completion(cell_reply(each)) for each in CELLS]
    with FakeProvider(*replies[:-1], replace(replies[-1], after_s=1.0)) as provider:
        async with in_process(ServedEndpoints(*endpoints, provider.base_url, server, wait_s)) as client:
            for shade in SHADES:
                await client.artifacts.put(picture(shade), "image/png")
            yield client


async def events_of(client: Client, server: ServerProcess) -> list[Event]:
    """Ask, kill the server in the middle of its second call, start it again, and return the run's events."""
    asked = question_asked(model="openai:any", limits=QuestionLimits(max_steps=200))
    async with asyncio.timeout(RUN_S):
        await client.bus.publish(asked)
        async for event in client.bus.follow(asked.run_id):
            if isinstance(event, CellCompleted):
                break
        await asyncio.to_thread(server.await_call)
        server.kill()
        await asyncio.to_thread(server.start)
        await client.bus.wait_for_end(asked.run_id)
    return await client.bus.history(asked.run_id)


def statuses(events: list[Event]) -> list[str]:
    return [each.observation.status for each in events if isinstance(each, CellCompleted)]


async def test_call_in_which_the_server_died_is_made_again_and_the_cell_goes_on(
    nats_url: str, database_url: str, s3_settings: S3Settings, server: ServerProcess
):
    async with services((nats_url, database_url, s3_settings), server, wait_s=60) as client:
        events = await events_of(client, server)
    (end,) = [each for each in events if isinstance(each, QuestionAnswered)]
    assert (end.answer.value, end.ending, end.steps) == (10, "returned", 2)
    assert statuses(events) == ["ok", "ok"]
    assert [each.backend for each in events if isinstance(each, PerceptionCompleted)] == ["gpu", "gpu"]
    assert not [each for each in events if isinstance(each, PerceptionFailed)]


async def test_server_that_is_away_for_longer_fails_the_cell_with_the_time_and_a_later_one_answers(
    nats_url: str, database_url: str, s3_settings: S3Settings, server: ServerProcess
):
    async with services((nats_url, database_url, s3_settings), server, wait_s=0.5) as client:
        events = await events_of(client, server)
    (end,) = [each for each in events if isinstance(each, QuestionAnswered)]
    assert end.answer.value == 10
    assert statuses(events)[:2] == ["ok", "error"]
    assert statuses(events)[-1] == "ok"
    failures = [each for each in events if isinstance(each, PerceptionFailed)]
    assert {each.reason for each in failures} == {"backend_unavailable"}
    assert failures[0].retry_after_s == LOST_S
    (failed, *_) = [each for each in events if isinstance(each, CellCompleted) and each.observation.error]
    assert failed.observation.error is not None
    assert "try again in 5 s" in failed.observation.error.message
