"""A task for Inspect: questions of a set about images and videos, scored as `millwright eval` scores them.

`inspect eval millwright/questions -T source=questions -T numbers=0-9 --model openai/gpt-5`. Needs the extra `inspect`.
"""

import asyncio
import base64
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from agent.loop.replies import MalformedReplyError
from agent.loop.role import Prompts
from artifacts.port import ArtifactStore
from contracts.envelope import opening
from contracts.events.perception import RenderFrames
from contracts.events.question import QuestionAsked
from contracts.models.conversation import Message
from contracts.models.questions.question import FrameMetadata, SpatialQuestion
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate
from perception_worker.handlers import render_frames
from perception_worker.simulator.backend import SimulatorBackend
from perception_worker.simulator.frame_cache import FrameCache
from questions.generator.question_set import numbered
from questions.imported.datasets.loader import load_dataset
from questions.imported.importer import import_questions
from questions.imported.question import ImportedQuestion
from questions.items import QuestionItem
from questions.scorers import score as score_answer
from run_requests.question import store_question
from spatial_agent.direct_answers import read_answer
from spatial_agent.messages import system_message, task_message

from millwright.sessions.artifact_folder import ArtifactFolder

GENERATED = "questions"
MAX_IMAGES = 20
CACHE_BYTES = 64 << 20


@task
def questions(source: str = GENERATED, numbers: str = "0-9", folder: str = "") -> Task:
    """Questions, each answered in one reply after thinking, without tools: the executor `chain_of_thought`.

    `source`: `questions`, which are generated; a file of questions; or the name of a public data set, with the
    `folder` of your copy. `numbers`: first-last, or one.
    """
    first, _, last = str(numbers).partition("-")
    wanted = range(int(first), int(last or first) + 1)
    with ThreadPoolExecutor(1) as thread:  # Inspect may load tasks on a loop of its own
        samples = thread.submit(lambda: asyncio.run(_samples(source, wanted, folder))).result()
    return Task(dataset=samples, solver=generate(), scorer=exact_answer())


@scorer(metrics=[grouped(mean(), "kind"), stderr()])
def exact_answer() -> Scorer:
    """Score an answer from 0 to 1 by the rule of its question; 0 without one that can be read."""

    async def score(state: TaskState, target: Target) -> Score:
        item = QuestionItem.model_validate_json(state.metadata["item"])
        try:
            given = read_answer(Message(author="assistant", text=state.output.completion), item.answer).value
        except MalformedReplyError as error:
            return Score(value=0.0, explanation=str(error))
        return Score(value=score_answer(item, given), answer=str(given), explanation=f"exact: {target.text}")

    return score


async def _samples(source: str, numbers: Sequence[int], folder: str) -> list[Sample]:
    with TemporaryDirectory(prefix="millwright-questions-") as temporary:
        store = ArtifactFolder(Path(temporary))
        if source == GENERATED:
            with closing(FrameCache(CACHE_BYTES)) as cache:
                simulator = SimulatorBackend(cache)
                return [await _sample(*await _generated(number, store, simulator), store) for number in numbers]
        imported = list(load_dataset(source, Path(folder)).questions if folder else import_questions(Path(source)))
        if numbers[-1] >= len(imported):
            raise ValueError(f"numbers: {source} has {len(imported)} questions: 0-{len(imported) - 1}")
        return [await _sample(*await _imported(imported[number], store), store) for number in numbers]


async def _generated(
    number: int, store: ArtifactStore, simulator: SimulatorBackend
) -> tuple[QuestionItem, SpatialQuestion]:
    generated = numbered(number)
    item = generated.item
    scene = await store.put(generated.scene.model_dump_json().encode(), "application/json")
    rendered = await render_frames(RenderFrames(kind="render_frames", scene=scene), store, simulator)
    metadata = FrameMetadata(is_video=item.is_video, fps=item.fps, total_frames=item.total_frames)
    return item, SpatialQuestion(text=item.text, answer=item.answer, frames=rendered.frames, metadata=metadata)


async def _imported(imported: ImportedQuestion, store: ArtifactStore) -> tuple[QuestionItem, SpatialQuestion]:
    item, media = imported.item, imported.media()
    return item, await store_question(item.text, item.answer, media, store, media.notes)


async def _sample(item: QuestionItem, question: SpatialQuestion, store: ArtifactStore) -> Sample:
    asked = QuestionAsked(
        **opening(uuid4(), "question", "spatial-agent", "cli"),
        question=question,
        model="inspect",
        executor="chain_of_thought",
        is_planned=False,
    )
    prompts = Prompts("spatial_agent")
    shown = task_message(prompts, asked, MAX_IMAGES, repeats_question=True)
    pictures = [base64.b64encode(await store.get(each.artifact)).decode() for each in shown.images]
    images = [ContentImage(image=f"data:image/png;base64,{each}") for each in pictures]
    return Sample(
        id=item.id,
        input=[
            ChatMessageSystem(content=system_message(prompts, asked, is_classic=False).text),
            ChatMessageUser(content=[ContentText(text=shown.text), *images]),
        ],
        target=str(item.exact),
        metadata={"kind": item.kind, "level": item.level, "item": item.model_dump_json()},
    )
