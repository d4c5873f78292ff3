"""What a workspace begins with runs as it is, and keeps the form of its documents."""

import pytest
from contracts.events.session import FileRefused, FileWriteRequested, SessionOpened
from documents.journal import read_journal
from documents.plan import read_plan
from documents.todo import read_todo
from kernel.workspace_template import TEMPLATES, may_write

from tests.cad_worker.handlers.run import Run

kernels = pytest.mark.asyncio(loop_scope="session")
RUNS = "from utils import run_script\nprint(run_script().status)"


@kernels
async def test_the_engineers_script_runs_before_anything_is_written(a_run: Run, opened: SessionOpened) -> None:
    assert {"script.py", "plan.md", "todo.md", "journal.md", "utils/__init__.py"} <= set(opened.files)
    done = await a_run.runs(RUNS)
    assert done.observation.output.endswith("ok\n"), done.observation.output


@kernels
@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("path", ["scratch.py", "todo.md"])
async def test_a_critic_writes_no_file(a_run: Run, path: str) -> None:
    wanted = a_run.wants_file(path, "tried = 1\n").model_copy(update={"role": "critic"})
    refused = await a_run.handlers[FileWriteRequested](wanted)
    assert isinstance(refused, FileRefused)
    assert (refused.reason, refused.detail) == (
        "read_only",
        f"{path} is read-only for the critic; what it tries stands in cells",
    )


def test_templates_are_well_formed_documents() -> None:
    planner = TEMPLATES["planner"].files
    assert read_plan(planner["plan.md"]).markdown() == planner["plan.md"]
    assert read_todo(planner["todo.md"]).items
    assert read_journal(TEMPLATES["engineer"].files["journal.md"]).entries == ()


def test_only_engineer_may_write_in_workspace() -> None:
    assert [role for role in (*TEMPLATES, "unknown") if may_write(role)] == ["engineer"]
