"""Questions through all services: by a scripted model that sees pictures, and by the offline expert on a scene."""

import asyncio
import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import pytest
from agent.context.recorded_prompt import prompt_of_call
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.stream.large_fields import LargeFields
from contracts.envelope import Event
from contracts.events.conversation import ModelCalled
from contracts.events.perception import PerceptionCompleted
from contracts.events.question import LookCompleted, QuestionAnswered, QuestionAsked
from contracts.events.session import CellCompleted, SessionClosed
from contracts.models.conversation import Message
from contracts.models.questions.question import FrameMetadata, SpatialQuestion
from kernel_host.session_manager.recorded_sessions import rebuild_session
from questions.generator.question_set import generate
from questions.scorers import score
from run_report.document import report_html

from tests.engineer.engineer_harness import cell_reply
from tests.flows.complete_runs import until_recorded
from tests.flows.scripted_runs import Case, ScriptedEndpoints, ScriptedModels
from tests.spatial_agent.question_harness import SHADES, picture, question_asked
from tests.support.clusters.cluster import Client, Endpoints, in_process
from tests.support.clusters.fake_provider import FakeProvider, HttpReply, completion
from tests.support.questions.perception import question_about, simulator_backend

RUN_S = 400.0
MODEL = "looker"
LOOK_ROLE = "# Task: locate"
CELLS = (
    "import numpy as np\nmeans = [float(each.pixels.mean()) for each in InputImages]\n"
    "show(InputImages[1], label='<b>the middle</b>')\nprint(vlm.locate(InputImages[:2], 'the gray'))",
    "ReturnAnswer(InputImages[int(np.argmax(means))].frame_index)",
)
pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class SeeingEndpoints(ScriptedEndpoints):
    """A provider whose model is sent pictures."""

    def settings(self, service: str = "") -> dict[str, Any]:
        return super().settings(service) | {"model_vision": True}


async def recorded_run(client: Client, asked: QuestionAsked) -> list[Event]:
    """Ask, and return all events of the run as Postgres has them."""
    async with asyncio.timeout(RUN_S):
        await client.bus.publish(asked)
        await client.bus.wait_for_end(asked.run_id)
        async for event in client.bus.follow(asked.run_id, linger_s=10.0):
            if isinstance(event, SessionClosed):
                break
        recorded = await until_recorded(client.log, await client.bus.history(asked.run_id))
    fields = LargeFields(client.artifacts)
    return [await fields.restore(each) for each in recorded]


def sent(message: Mapping[str, Any]) -> tuple[str, str, list[str]]:
    """Return author, text and the digests of the pictures of a message as the server saw it."""
    content = message.get("content") or ""
    parts: Sequence[Mapping[str, Any]] = (
        [{"type": "text", "text": content}]
        if isinstance(content, str)
        else cast("Sequence[Mapping[str, Any]]", content)
    )
    text = next((each["text"] for each in parts if each["type"] == "text"), "")
    urls = [each["image_url"]["url"] for each in parts if each["type"] == "image_url"]
    digests = [sha256(base64.b64decode(url.partition(",")[2])).hexdigest() for url in urls]
    return message["role"], text, digests


def logged(message: Message) -> tuple[str, str, list[str]]:
    """Return the same of a message in the log."""
    return message.author, message.text, [image.artifact.sha256 for image in message.images]


@pytest.mark.asyncio(loop_scope="session")
async def test_conversation_in_postgres_is_what_the_model_server_saw(
    real_servers: Endpoints, tmp_path: Path, kernel_host: KernelHost
):
    """The question is rendered, and its cells run again, from Postgres and S3 alone."""
    script: tuple[HttpReply, ...] = (
        completion("Compare the shades."),
        *(completion(cell_reply(each)) for each in CELLS),
    )
    cases = {MODEL: Case({"spatial-agent": script, LOOK_ROLE: (completion("[500, 500]"),)})}
    models = ScriptedModels(cases)
    asked = question_asked(model=f"openai:{MODEL}", is_planned=True)
    with FakeProvider(respond=models) as provider:
        servers = real_servers
        endpoints = SeeingEndpoints(servers.nats_url, servers.database_url, servers.s3, provider.base_url)
        async with in_process(endpoints) as client:
            for shade in SHADES:
                await client.artifacts.put(picture(shade), "image/png")
            events = await recorded_run(client, asked)
            page = await report_html(events, client.artifacts)
            rebuilt = await rebuild_session(
                events, "spatial-agent", WorkerKernels(kernel_host, client.artifacts), client.artifacts
            )
            await rebuilt.session.close()
    assert rebuilt.is_as_recorded, (rebuilt.recovery, rebuilt.different_outputs)
    assert rebuilt.recovery.replayed_cells == len(CELLS)
    assert "means" in rebuilt.recovery.restored
    (end,) = [each for each in events if isinstance(each, QuestionAnswered)]
    assert (end.answer.value, end.ending, end.steps) == (10, "returned", 2)
    calls = [each for each in events if isinstance(each, ModelCalled)]
    exchanges = models.exchanges(MODEL, "spatial-agent")
    assert len(calls) == len(exchanges) == 3
    for call, exchange in zip(calls, exchanges, strict=True):
        assert [logged(each) for each in prompt_of_call(call, events)] == [sent(each) for each in exchange.messages]
        assert call.reply.text == json.loads(exchange.reply.body)["choices"][0]["message"]["content"]
    assert [len(sent(exchange.messages[-1])[2]) for exchange in exchanges] == [0, 3, 1]
    (look,) = [each for each in events if isinstance(each, LookCompleted)]
    (looked,) = models.exchanges(MODEL, LOOK_ROLE)
    assert [logged(each) for each in look.messages] == [sent(each) for each in looked.messages]
    assert len(sent(looked.messages[-1])[2]) == 2
    assert "<b>the middle</b>" not in page
    assert "&lt;b&gt;the middle&lt;/b&gt;" in page
    assert "http://" not in page
    assert "https://" not in page
    assert page.count("<img ") == 3


async def test_offline_expert_answers_a_generated_question_by_exact_perception(real_servers: Endpoints):
    generated = generate("distance", 1, 0)
    with simulator_backend() as backend:
        shown = question_about(backend, generated.scene)
    item = generated.item
    question = SpatialQuestion(
        text=item.text,
        answer=item.answer,
        frames=shown.frames,
        metadata=FrameMetadata(total_frames=len(shown.frames)),
    )
    asked = question_asked(model="offline", is_planned=True).model_copy(update={"question": question})
    async with in_process(real_servers) as client:
        await client.artifacts.put(generated.scene.model_dump_json().encode(), "application/json")
        for data in shown.files.values():
            await client.artifacts.put(data, "image/png")
        events = await recorded_run(client, asked)
    (end,) = [each for each in events if isinstance(each, QuestionAnswered)]
    assert score(item, end.answer.value) == 1.0
    assert len([each for each in events if isinstance(each, PerceptionCompleted)]) == 2
    cells = [each for each in events if isinstance(each, CellCompleted)]
    assert [each.observation.status for each in cells] == ["ok"] * 4
