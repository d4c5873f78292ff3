"""A submission needs a settled TODO list and a journal with an entry for each simulation; it delivers both."""

import io
import zipfile
from functools import partial
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import judge_design
from cad_worker.host import KernelHost
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignInvalidated, DesignSubmitted, DesignValidated
from contracts.events.run import EnvironmentBuilt
from contracts.events.session import CellRequested, SessionOpened
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.submission import Submission
from kernel_host.session_manager.manager import SessionManager
from kernel_host.sessions.journal_entries import read_entries

from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.submissions.test_submissions import SUBMIT
from tests.contracts import example_values as values
from tests.support.kernel_world import GOOD_SCRIPT

pytestmark = [pytest.mark.asyncio(loop_scope="session")]

SIMULATE = "from script import assembly\nfrom utils import simulate\nrun = simulate(assembly)"
CHECKS = "todo.check('T1')"
ADDS = "journal.add('try', 'solved', 'it holds', 'submit')"


@pytest_asyncio.fixture(loop_scope="session")
async def coding(client: RunClient, built: EnvironmentBuilt, manager: SessionManager, bus: FakeBus) -> RunClient:
    """A client with the session of an engineer that writes cells, whose simulations succeed."""

    async def simulate(request: SimulationRequested) -> SimulationCompleted:
        result = values.RESULT.model_copy(update={"trajectory": None})
        return SimulationCompleted(**answering(request, "sim-worker"), result=result)

    bus.answers(SimulationRequested, simulate)
    request = await client.session_request(built.environment)
    assert isinstance(await manager.open(request.model_copy(update={"executor": "code"})), SessionOpened)
    await client.write_file("script.py", GOOD_SCRIPT)
    return client


async def refusal_of(client: RunClient, code: str) -> str:
    """Run a cell that submits in vain and return why."""
    done = await client.run_cell(code)
    assert done.ending is None
    assert done.observation.error is not None
    assert done.observation.error.type == "NotAcceptableError"
    return done.observation.error.message


def entry(client: RunClient, *simulations: int) -> JournalEntryAdded:
    """Return what the engineer noted about simulations."""
    words = {"intent": "preview", "result": "solved", "reflection": "it holds", "next_step": "submit"}
    common = {"id": uuid4(), "run_id": client.id, "role": "engineer", "producer": "engineer"}
    return JournalEntryAdded.model_validate({**common, **words, "to_token": 90, "simulations": simulations})


async def submission_of(
    client: RunClient, built: EnvironmentBuilt, files: dict[str, str], **fields: object
) -> DesignSubmitted:
    """Return a submission of these files that no kernel has checked."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    ref = await client.artifacts.put(packed.getvalue(), "application/zip")
    request = await client.submission_request(built, Submission(digest="0" * 64, files=ref))
    return request.model_copy(update={"executor": "code", "plan_md": "# Plan\n", **fields})


async def test_open_item_is_refused_with_the_call_that_settles_it(coding: RunClient) -> None:
    refusal = await refusal_of(coding, SUBMIT)
    assert "1 of 1 items of todo.md are open: T1 (build)" in refusal
    assert 'todo.check("T1")' in refusal
    assert isinstance((await coding.run_cell(f"{CHECKS}\n{SUBMIT}")).ending, Submission)


async def test_trial_without_entry_is_refused_until_something_concludes_it(coding: RunClient, bus: FakeBus) -> None:
    await coding.run_cell(CHECKS)
    refusal = await refusal_of(coding, f"{SIMULATE}\n{SUBMIT}")
    assert "no entry for simulation 1 of 1" in refusal
    assert "submit in a later cell" in refusal
    assert isinstance((await coding.run_cell(f"{ADDS}\n{SUBMIT}")).ending, Submission)
    await coding.run_cell(SIMULATE)
    noted = (entry(coding, 1), entry(coding, 2).model_copy(update={"from_token": 90, "to_token": 95}))
    for each in noted:
        await bus.publish(each)
    ids = tuple(each.id for each in noted)
    done = await coding.handle(coding.request(CellRequested, purpose="t", code=SUBMIT, journal_entries=ids))
    assert isinstance(getattr(done, "ending", None), Submission), done


async def test_judge_refuses_what_the_kernel_did_not_check(
    coding: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus
) -> None:
    done, journal = "# TODO\n\n- [x] T1: build\n", "# Journal\n"
    cases = (
        ({"todo.md": "# TODO\n\n- [ ] T1: build\n", "journal.md": journal}, 0, {"open_todo_item"}),
        ({"todo.md": "all done\n", "journal.md": "x"}, 0, {"malformed_document"}),
        ({"journal.md": journal}, 0, {"malformed_document"}),
        ({"todo.md": done, "journal.md": journal}, 2, {"missing_journal_entry"}),
    )
    for documents, simulations, rules in cases:
        files = {"script.py": "raise RuntimeError('the script must not run')", **documents}
        request = await submission_of(coding, built, files, simulations=simulations)
        verdict = await judge_design(request, host, artifacts, partial(read_entries, bus=bus))
        assert isinstance(verdict, DesignInvalidated)
        assert {finding.rule for finding in verdict.findings} == rules


async def test_single_pass_is_not_asked_for_what_it_cannot_write(
    coding: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus
) -> None:
    files = {"script.py": GOOD_SCRIPT, "todo.md": "# TODO\n\n- [ ] T1: build\n", "journal.md": "# Journal\n"}
    request = await submission_of(coding, built, files, executor="single_pass")
    verdict = await judge_design(request, host, artifacts, partial(read_entries, bus=bus))
    assert isinstance(verdict, DesignInvalidated)
    assert {finding.rule for finding in verdict.findings} == {"digest_differs"}


async def test_accepted_design_delivers_plan_todo_and_journal(
    coding: RunClient, built: EnvironmentBuilt, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus
) -> None:
    completed = await coding.run_cell(f"{SIMULATE}\n{CHECKS}\n{ADDS}\n{SUBMIT}")
    assert isinstance(completed.ending, Submission), completed.observation
    own = entry(coding, 1).model_copy(update={"own_entries": (1,)})
    await bus.publish(own)
    request = (await coding.submission_request(built, completed.ending)).model_copy(
        update={"executor": "code", "plan_md": "# Plan\n", "simulations": 1, "journal_entries": (own.id,)}
    )
    verdict = await judge_design(request, host, artifacts, partial(read_entries, bus=bus))
    assert isinstance(verdict, DesignValidated), verdict
    documents = verdict.delivery.documents
    assert documents is not None
    assert documents.summary == "TODO 1 of 1 done; journal 1 entries"
    assert await artifacts.get(documents.plan) == b"# Plan\n"
    assert b"- [x] T1: build" in await artifacts.get(documents.todo)
    assert f"tokens 0 to 90 of run {str(coding.id)[:8]}, simulation 1".encode() in await artifacts.get(
        documents.journal
    )
