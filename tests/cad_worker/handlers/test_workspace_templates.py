"""The files of a new workspace are valid: the script runs, and the documents are well formed."""

import pytest
from contracts.events.session import FileRefused, FileWriteRequested, SessionOpened
from documents.journal import read_journal
from documents.plan import read_plan
from documents.todo import read_todo
from kernel.workspace_template import TEMPLATES, may_write

from tests.cad_worker.handlers.run_client import RunClient

kernels = pytest.mark.asyncio(loop_scope="session")
RUNS = "from utils import run_script\nprint(run_script().status)"


@kernels
async def test_script_template_of_the_engineer_runs(client: RunClient, opened: SessionOpened) -> None:
    assert {"script.py", "plan.md", "todo.md", "journal.md", "utils/__init__.py"} <= set(opened.files)
    done = await client.run_cell(RUNS)
    assert done.observation.output.endswith("ok\n"), done.observation.output


@kernels
@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("path", ["scratch.py", "todo.md"])
async def test_critic_cannot_write_a_file(client: RunClient, path: str) -> None:
    request = client.write_request(path, "tried = 1\n").model_copy(update={"role": "critic"})
    refused = await client.handlers[FileWriteRequested](request)
    assert isinstance(refused, FileRefused)
    assert refused.reason == "read_only"
    assert path in refused.detail
    assert "critic" in refused.detail


def test_template_documents_are_well_formed() -> None:
    planner = TEMPLATES["planner"].files
    assert read_plan(planner["plan.md"]).markdown() == planner["plan.md"]
    assert read_todo(planner["todo.md"]).items
    assert read_journal(TEMPLATES["engineer"].files["journal.md"]).entries == ()


def test_only_engineer_and_author_may_write_in_their_workspace() -> None:
    assert {role for role in (*TEMPLATES, "unknown") if may_write(role)} == {"engineer", "benchmark-generator"}
