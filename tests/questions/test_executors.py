"""The same expert through the same harness, with fewer ways to act: real kernels, exact perception."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from cad_worker.host import KernelHost
from contracts.events.question import QuestionAnswered
from contracts.models.questions.question import QuestionExecutor
from perception_worker.simulator.backend import SimulatorBackend
from questions.generator.question_set import generate
from questions.items import GeneratedQuestion
from questions.scorers import score

from tests.support.questions.question_runs import QuestionRunner, question_runner

SMALL = {"width_px": 240, "height_px": 180}
NEEDING_AN_OBSERVATION = ("direction_by_camera", "speed")
"""At level 3 a name is unknown to perception: the next cell depends on what the last one showed."""


@pytest.fixture
async def runner(backend: SimulatorBackend) -> AsyncGenerator[QuestionRunner]:
    host = KernelHost(parallel_jobs=2)
    await host.start()
    try:
        async with question_runner(host, backend) as opened:
            yield opened
    finally:
        await host.stop()


def asked() -> list[GeneratedQuestion]:
    generated = [generate(kind, 3, 40) for kind in NEEDING_AN_OBSERVATION]
    return [replace(each, scene=each.scene.model_copy(update=SMALL)) for each in generated]


async def accuracy(runner: QuestionRunner, executor: QuestionExecutor) -> float:
    scores: list[float] = []
    for each in asked():
        end, _ = await runner.ask(await runner.question_of(each), is_planned=False, executor=executor)
        scores.append(score(each.item, end.answer.value) if isinstance(end, QuestionAnswered) else 0.0)
    return sum(scores) / len(scores)


async def test_code_answers_what_a_single_pass_and_single_calls_cannot(runner: QuestionRunner):
    code = await accuracy(runner, "code")
    tool_calls, single_pass = await accuracy(runner, "tool_calls"), await accuracy(runner, "single_pass")
    assert code == 1.0
    assert code > tool_calls >= single_pass
