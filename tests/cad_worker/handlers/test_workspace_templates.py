"""What a workspace begins with runs as it is, and keeps the form of its documents."""

import pytest
from cad_worker.host import KernelHost
from contracts.events.session import FileRefused, FileWriteRequested, FileWritten, SessionOpened
from documents.benchmark_plan import read_benchmark_plan
from documents.journal import read_journal
from documents.plan import read_plan
from documents.todo import read_todo
from kernel.workspace_template import TEMPLATES, may_write

from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.worlds import assignment
from tests.contracts.example_values import VARIANT

kernels = pytest.mark.asyncio(loop_scope="session")
RUNS = "from utils import run_script\nprint(run_script().status)"


@kernels
async def test_script_template_of_the_engineer_runs(client: RunClient, opened: SessionOpened) -> None:
    assert {"script.py", "plan.md", "todo.md", "journal.md", "utils/__init__.py"} <= set(opened.files)
    done = await client.run_cell(RUNS)
    assert done.observation.output.endswith("ok\n"), done.observation.output


@kernels
@pytest.mark.usefixtures("opened")
async def test_script_template_of_a_benchmark_runs_with_modules(client: RunClient) -> None:
    for path, text in TEMPLATES["benchmark"].files.items():
        if path.endswith(".py"):
            assert isinstance(await client.write_file(path, text), FileWritten)
    done = await client.run_cell(RUNS)
    assert done.observation.output.endswith("ok\n"), done.observation.output
    assert "ground: " in done.observation.output


@kernels
async def test_environment_template_of_a_benchmark_can_be_built(host: KernelHost) -> None:
    text = TEMPLATES["benchmark"].files["environment.py"]
    build = await host.build_environment(text, assignment(VARIANT.environment_code).variant)
    assert build.fault is None
    assert build.files is not None
    assert [solid.label for solid in build.files.geometry.solids] == ["ground"]


@kernels
@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize("path", ["scratch.py", "todo.md"])
async def test_critic_cannot_write_a_file(client: RunClient, path: str) -> None:
    wanted = client.write_request(path, "tried = 1\n").model_copy(update={"role": "critic"})
    refused = await client.handlers[FileWriteRequested](wanted)
    assert isinstance(refused, FileRefused)
    assert (refused.reason, refused.detail) == (
        "read_only",
        f"{path} is read-only for the critic; what it tries stands in cells",
    )


def test_template_documents_are_well_formed() -> None:
    planner = TEMPLATES["planner"].files
    assert read_plan(planner["plan.md"]).markdown() == planner["plan.md"]
    assert read_benchmark_plan(planner["benchmark_plan.md"]).markdown() == planner["benchmark_plan.md"]
    assert read_todo(planner["todo.md"]).items
    assert read_todo(TEMPLATES["benchmark"].files["todo.md"]).items
    for workplace in ("engineer", "benchmark"):
        assert read_journal(TEMPLATES[workplace].files["journal.md"]).entries == ()


@pytest.mark.parametrize(
    ("role", "path", "may"),
    [("engineer", "parts/legs.py", True), ("benchmark", "environment.py", True), ("planner", "plan.md", False)],
)
def test_may_write_allows_only_the_files_of_the_role(role: str, path: str, may: bool) -> None:
    assert may_write(role, path) is may
    assert may_write("nobody", path) is False
