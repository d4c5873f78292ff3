"""A cad-worker is killed with SIGKILL between two cells of a question: the answer is the same."""

import asyncio

import pytest
from contracts.envelope import deciding
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import CellCompleted, CellRequested, SessionOpened
from contracts.models.questions.answers import ValidAnswer

from tests.chaos.workers import Worker, WorkerPair
from tests.spatial_agent.question_harness import SHADES, picture, question_asked

RESUME_S = 120.0
pytestmark = pytest.mark.asyncio(loop_scope="module")
CELLS = (
    "import random\nimport numpy as np\nluck = random.random()\nnoise = np.random.rand(20)",
    "means = {each.frame_index: float(each.pixels.mean()) for each in InputImages}",
    "def brightest():\n    return max(means, key=means.get)",
)
LAST = "print(luck, noise.sum(), len(feedback.answers))\nReturnAnswer(brightest())"


def owner_of_question(pair: WorkerPair) -> Worker:
    """Return the worker with the open kernel."""
    (owner,) = [worker for worker in pair.workers if list((worker.folder / "kernels").glob("*/*/images/000"))]
    return owner


async def answered(pair: WorkerPair, *, is_killed: bool) -> CellCompleted:
    """Return the last cell of a question whose worker is killed before it, or not."""
    bus, asked = pair.client.bus, question_asked()
    for shade in SHADES:
        await pair.client.artifacts.put(picture(shade), "image/png")
    await bus.publish(asked)
    request = QuestionSessionRequested(
        **deciding(asked, "spatial-agent", 0, 1),
        answer=asked.question.answer,
        frames=asked.question.frames,
        metadata=asked.question.metadata,
    )
    assert isinstance(await bus.ask(request), SessionOpened)
    cells = [
        CellRequested(**deciding(request, "spatial-agent", number, 1), purpose="look", code=code)
        for number, code in enumerate((*CELLS, LAST), 1)
    ]
    for cell in cells[:-1]:
        seen = await bus.ask(cell.model_copy(update={"id": cell.id}))
        assert isinstance(seen, CellCompleted)
        assert seen.observation.status == "ok", seen.observation
    if is_killed:
        owner_of_question(pair).kill()
    async with asyncio.timeout(RESUME_S):
        last = await bus.ask(cells[-1])
    assert isinstance(last, CellCompleted)
    return last


async def test_question_of_a_killed_worker_is_answered_as_it_would_have_been(pair: WorkerPair):
    killed = await answered(pair, is_killed=True)
    assert killed.answer == ValidAnswer(kind="integer", value=10)
    recovery = killed.observation.recovery
    assert recovery is not None
    assert (recovery.replayed_cells, recovery.lost, recovery.different, recovery.remarks) == (3, (), (), ())
    assert set(recovery.restored) == {"luck", "noise", "means", "brightest"}
    assert killed.epoch == 2
