"""A critic's session: one read-only design to simulate again; taken over and requested again like any other."""

import io
import time
from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock, create_autospec

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.leases.lease import Lease
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.design import DesignSimulated
from contracts.events.question import QuestionAsked
from contracts.events.run import EnvironmentBuilt
from contracts.events.session import (
    CellCompleted,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    SessionOpened,
    SessionRequested,
)
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.models.simulation import KeyFrame
from documents.shipped_skills import shipped_files
from kernel.api.reviews import reviewer_utils
from kernel.baked import utils
from kernel_host.session_manager import session_reopener
from kernel_host.session_manager.manager import SessionManager
from kernel_host.session_manager.session_reopener import SessionReopener
from kernel_host.sessions.session import Session
from kernel_host.sessions.workspace import Workspace
from PIL import Image

from tests.agent.role_harness import engineering_requested
from tests.cad_worker.handlers.logged_client import DIES, recovery_of, take_over
from tests.cad_worker.handlers.review_client import ReviewClient
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases
from tests.contracts import example_values as values
from tests.contracts.examples import full_examples
from tests.support.kernel_world import GOOD_SCRIPT
from tests.support.questions.perception import simulator_backend
from tests.support.questions.question_runs import question_runner
from tests.support.replies.taught_code import PROMPTS, SKILLS, blocks_of, calls_of, function_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

TALLER_SCRIPT = GOOD_SCRIPT.replace("Pos(0, 0, 5) * Box(60, 40, 10)", "Pos(0, 0, 10) * Box(60, 40, 20)")
RERUNS = """
runs = {seed: simulate(design, seed=seed, replicas=6) for seed in (1, 2, 3, 4, 5)}
stability = assess()
volume = design.children[0].volume
"""


@pytest.fixture
def reviewer(client: RunClient, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts) -> ReviewClient:
    return ReviewClient(client, bus, host, artifacts)


@pytest_asyncio.fixture(loop_scope="session")
async def review(
    reviewer: ReviewClient, built: EnvironmentBuilt, manager: SessionManager, bus: FakeBus
) -> SessionRequested:
    """A review that the first worker has opened."""
    request = await reviewer.review_request(built.environment, GOOD_SCRIPT)
    await bus.publish(request)
    opened = await manager.open(request)
    assert isinstance(opened, SessionOpened), opened
    await bus.publish(opened)
    return request


async def test_review_kernel_has_the_design_and_its_results(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    outputs = {
        "print(design.label, [part.label for part in design.children])": "assembly ['plate']",
        "print(round(design.children[0].volume), design.children[0].metadata['material_id'])": "24000 pla",
        "print(sorted(submitted), submitted['script.py'].count('Box'))": "['journal.md', 'script.py', 'todo.md'] 1",
        "print(todo.items[0].id, [body.label for body in scene.bodies])": "T1 ['floor', 'plate']",
        "print(result.verdict, strains(result), sorted(economy(bill, limits)))": "solved",
        "import utils\nprint(utils.__doc__)": "cannot change or submit anything",
    }
    for code, output in outputs.items():
        seen = await reviewer.run_cell(code)
        assert seen.status == "ok", seen.error
        assert output in seen.output


async def test_review_kernel_can_neither_change_nor_submit(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    errors = {
        "from utils import submit_for_review": "ImportError",
        "simulate(design.children[0], seed=1)": "NotTheDesignError",
        "simulate(design, seed=1, replicas=1000)": "ValueError",
        "submitted['script.py'] = ''": "TypeError",
        "open('script.py', 'w')": "RefusedCode",
    }
    for code, error in errors.items():
        seen = await reviewer.run_cell(code)
        assert seen.error is not None, seen
        assert seen.error.type == error
    assert reviewer.simulations == []


async def test_code_of_the_critics_prompt_and_skills_runs(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    own = {*reviewer_utils.__all__} - {*utils.__all__}
    calls = [call for text in (PROMPTS["critic/system"], *SKILLS.values()) for call in calls_of(text)]
    taught = [call for call in dict.fromkeys(calls) if function_of(call) in own]
    for code in (*blocks_of(PROMPTS["critic/system"]), "run = result", *taught):
        seen = await reviewer.run_cell(code)
        assert seen.status == "ok", (code, seen.error)
    assert len(taught) > 4


async def test_review_has_the_critics_skills_alone(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    printed = (await reviewer.run_cell("print(*sorted(skills))")).output.split()
    assert {f"skills/{path}" for path in printed} == set(shipped_files("critic"))


async def test_files_of_a_review_are_read_only(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    script = await reviewer.handle(reviewer.request(FileViewRequested, path="submitted/script.py"))
    assert isinstance(script, FileViewed)
    assert "plate" in script.text
    for request in (
        reviewer.request(FileWriteRequested, path="script.py", text="x = 1\n"),
        reviewer.request(FileWriteRequested, path="notes.md", text="mine\n"),
        reviewer.request(FileEditRequested, path="submitted/script.py", old_text="plate = ", new_text="plank = "),
    ):
        refused = await reviewer.handle(request)
        assert isinstance(refused, FileRefused)
        assert refused.reason == "read_only"


def shade_png(shade: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (64, 48), (shade, shade, shade)).save(file, "PNG")
    return file.getvalue()


def reviewed_design(review: SessionRequested) -> DesignSimulated:
    """Return the event that is under review."""
    example = full_examples()[DesignSimulated]
    assert isinstance(example, DesignSimulated)
    return example.model_copy(update={"run_id": review.run_id, "model": "offline"})


async def test_question_about_the_film_is_answered_by_the_loop_of_questions(
    reviewer: ReviewClient, review: SessionRequested, bus: FakeBus, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    moments = [
        KeyFrame(
            time_s=0.5 * number, caption=f"moment {number}", picture=await artifacts.put(shade_png(shade), "image/png")
        )
        for number, shade in enumerate((10, 90, 200, 200))
    ]
    media = values.MEDIA.model_copy(update={"key_frames": tuple(moments)})
    with simulator_backend() as simulator:
        async with question_runner(host, simulator) as runner:

            async def film(request: FilmRequested) -> FilmCompleted:
                assert request.window_s == (0.0, 2.0)
                return FilmCompleted(**answering(request, "sim-worker"), summary_md="", media=media)

            async def answer(asked: QuestionAsked) -> Event:
                return (await replace(runner, artifacts=artifacts).answer(asked))[0]

            bus.answers(FilmRequested, film)
            bus.answers(QuestionAsked, answer)
            await bus.publish(reviewed_design(review))
            code = 'rest = ask_film("When does the motion end?", expect="number", unit="s", between_s=(0, 2))'
            done = await reviewer.complete_cell(code)
    assert done.observation.status == "ok", done.observation.error
    (asked,) = [event for event in bus.events if isinstance(event, QuestionAsked)]
    assert (asked.run_id, asked.causation_id) == (asked.id, done.causation_id)
    assert asked.run_id != review.run_id
    assert asked.question.metadata.notes.splitlines()[1] == "image 1, 0.50 s: moment 1"
    assert done.observation.output.strip() == f"1.0 (returned, run {asked.run_id})"
    assert "rest" in {each.name for each in done.observation.variables}


async def test_submitted_scene_is_simulated_again_under_each_seed(
    reviewer: ReviewClient, review: SessionRequested
) -> None:
    seen = await reviewer.run_cell(f"{RERUNS}\nprint(stability)")
    assert seen.status == "ok", seen.error
    assert review.reviewed is not None
    assert [each.scene for each in reviewer.simulations] == [review.reviewed.delivery.scene] * 5
    assert [(each.seed, each.replicas) for each in reviewer.simulations] == [(seed, 6) for seed in (1, 2, 3, 4, 5)]
    assert "stable: 27 of 30 replicas under 5 seeds" in seen.output
    assert {"runs", "stability", "volume"} <= {each.name for each in seen.variables if each.fingerprint}


def _fingerprint(done: CellCompleted, name: str) -> str:
    (found,) = [each.fingerprint for each in done.observation.variables if each.name == name]
    return found


async def test_host_counts_the_reruns_that_it_answered(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    first = await reviewer.complete_cell(f"{RERUNS}\nseventh = simulate(design, seed=7, replicas=10)")
    counted = first.assessment
    assert counted is not None
    assert (counted.assessment.seeds, counted.assessment.replicas) == ((1, 2, 3, 4, 5, 7), 40)
    assert counted.assessment.reached == 36
    assert _fingerprint(first, "stability") not in {"", counted.fingerprint}, "it was counted before the last rerun"
    second = await reviewer.complete_cell("stability = assess()")
    assert second.assessment == counted
    assert _fingerprint(second, "stability") == counted.fingerprint


async def test_object_of_the_kernel_changes_no_count(reviewer: ReviewClient, review: SessionRequested) -> None:
    del review
    forged = """
simulate(design, seed=1, replicas=6)
simulate(design, seed=1, replicas=12)
simulate(design, seed=benchmark.seed, replicas=32)
honest = assess()
stability = honest.model_copy(update={"verdict": "stable", "replicas": 30, "reached": 30, "seeds": (1, 2, 3, 4, 5)})
"""
    done = await reviewer.complete_cell(forged)
    assert done.observation.status == "ok", done.observation.error
    assert done.assessment is not None
    assert (done.assessment.assessment.seeds, done.assessment.assessment.replicas) == ((1,), 12)
    assert done.assessment.fingerprint == _fingerprint(done, "honest") != _fingerprint(done, "stability")


async def test_judged_simulation_can_be_shown(reviewer: ReviewClient, review: SessionRequested, bus: FakeBus) -> None:
    async def fail(request: FilmRequested) -> FilmFailed:
        return FilmFailed(**answering(request, "sim-worker"), reason="nothing_to_film", detail="it is dark")

    bus.answers(FilmRequested, fail)
    seen = await reviewer.run_cell("show(result)")
    assert seen.error is not None
    assert "it is dark" in seen.error.message
    (film,) = [event for event in bus.events if isinstance(event, FilmRequested)]
    assert review.reviewed is not None
    assert film.scene == review.reviewed.delivery.scene
    assert film.trajectory_digest == review.reviewed.result.trajectory_digest


async def test_review_is_taken_over_without_simulating_again(
    reviewer: ReviewClient, review: SessionRequested, next_manager: SessionManager, leases: WorkerLeases
) -> None:
    await reviewer.run_cell(RERUNS)
    await take_over(next_manager, review, leases)
    after = await reviewer.run_cell("print(stability.reached, design.children[0].volume == volume)")
    assert after.output.strip() == "27 True"
    assert set(recovery_of(after).restored) == {"runs", "stability", "volume"}
    assert (recovery_of(after).lost, recovery_of(after).different) == ((), ())
    assert len(reviewer.simulations) == 5


async def test_reruns_count_after_a_takeover(
    reviewer: ReviewClient, review: SessionRequested, next_manager: SessionManager, leases: WorkerLeases
) -> None:
    before = await reviewer.complete_cell(RERUNS)
    await take_over(next_manager, review, leases)
    after = await reviewer.complete_cell("simulate(design, seed=6, replicas=6)\nlater = assess()")
    assert before.assessment is not None
    assert after.assessment is not None
    assert (before.assessment.assessment.replicas, after.assessment.assessment.replicas) == (30, 36)
    assert after.assessment.fingerprint == _fingerprint(after, "later")


async def test_second_design_is_reviewed_in_a_new_kernel(
    reviewer: ReviewClient,
    review: SessionRequested,
    built: EnvironmentBuilt,
    next_manager: SessionManager,
    leases: WorkerLeases,
) -> None:
    await reviewer.run_cell(RERUNS)
    again = await reviewer.handle(await reviewer.review_request(built.environment, TALLER_SCRIPT))
    assert isinstance(again, SessionOpened), again
    done = await reviewer.complete_cell("taller = round(design.children[0].volume)\nprint('runs' in dir(), taller)")
    assert done.observation.output.strip() == "False 48000"
    assert done.assessment is not None
    assert done.assessment.assessment.replicas == 0, "reruns of the first design are of the first design"
    assert (await reviewer.run_cell(DIES)).status == "killed"
    assert "48000" in (await reviewer.run_cell("print(taller)")).output
    await take_over(next_manager, review, leases)
    after = await reviewer.run_cell("print(taller, round(design.children[0].volume))")
    assert after.output.strip() == "48000 48000"
    assert recovery_of(after).restored == ("taller",)


async def test_further_request_tells_its_own_time_and_not_the_age_of_the_session(
    monkeypatch: pytest.MonkeyPatch, artifacts: FakeArtifacts
) -> None:
    session, lease = create_autospec(Session, instance=True), create_autospec(Lease, instance=True)
    session.workspace = create_autospec(Workspace, instance=True)
    session.workspace.files.return_value, lease.epoch = (), 1
    monkeypatch.setattr(session_reopener, "reopen", AsyncMock())
    fields: dict[str, Any] = {
        "assignment": values.ASSIGNMENT,
        "environment": values.ENVIRONMENT,
        "plan_md": "",
        "todo_md": "",
    }
    first, further = (
        SessionRequested(**deciding(engineering_requested(), "critic", step), **fields) for step in (1, 2)
    )
    opened = await SessionReopener(
        first, session, lease, create_autospec(WorkerKernels, instance=True), time.monotonic() - 7200
    ).answer(further)
    assert isinstance(opened, SessionOpened)
    assert opened.ready_s < 3600
