"""The record of a run is complete: from Postgres and S3 alone it is rendered and executed again."""

import asyncio
from uuid import UUID

import pytest
from artifacts.client import Artifacts
from artifacts.settings import S3Settings
from cad_worker.host import KernelHost
from cad_worker.kernels import WorkerKernels
from chassis.stream.large_fields import LargeFields
from cli.commands.history.kernel_prompt import RecordedKernel, open_prompt
from cli.entry import FAILED
from contracts.envelope import Event, Role
from contracts.events.session import CellCompleted
from kernel_host.session_manager.recorded_sessions import rebuild_session
from local_stack.settings import CliSettings
from rich.console import Console
from run_report.document import report_html
from run_requests.errors import UnknownCellError
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings

from tests.flows.complete_runs import CompleteRun


class Record:
    """Database and artifacts, and nothing else."""

    def __init__(self, database_url: str, s3: S3Settings) -> None:
        self.artifacts = Artifacts(s3)
        self._database = Database(DatabaseSettings(database_url=database_url))

    async def events(self, run_id: UUID) -> list[Event]:
        await self.artifacts.start()
        await self._database.start()
        try:
            large = LargeFields(self.artifacts)
            return [await large.restore(each) for each in await EventLog(self._database.engine).events_of(run_id)]
        finally:
            await self._database.stop()


@pytest.fixture
def record(database_url: str, s3_settings: S3Settings) -> Record:
    return Record(database_url, s3_settings)


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("role", ["engineer", "critic"])
async def test_recorded_session_is_executed_again_as_it_was(
    complete: CompleteRun, record: Record, kernel_host: KernelHost, role: Role
) -> None:
    events = await record.events(complete.request.run_id)
    cells = [each for each in events if isinstance(each, CellCompleted) and each.role == role]
    rebuilt = await rebuild_session(events, role, WorkerKernels(kernel_host, record.artifacts), record.artifacts)
    await rebuilt.session.close()
    assert rebuilt.is_as_recorded, (rebuilt.recovery, rebuilt.different_outputs)
    assert rebuilt.recovery.replayed_cells == len(cells) > 0
    assert rebuilt.recovery.restored


async def test_recorded_run_is_rendered_again(complete: CompleteRun, record: Record) -> None:
    events = await record.events(complete.request.run_id)
    page = await report_html(events, record.artifacts)
    assert str(complete.request.run_id) in page
    assert complete.request.assignment.variant.title in page


def test_prompt_of_a_recorded_kernel_evaluates_code(
    complete: CompleteRun, database_url: str, s3_settings: S3Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = CliSettings(
        database_url=database_url,
        s3_endpoint=s3_settings.s3_endpoint,
        s3_access_key=s3_settings.s3_access_key,
        s3_secret_key=s3_settings.s3_secret_key,
    )
    console = Console(highlight=False, markup=False, width=200)
    run_id = complete.request.run_id

    def prompt(cell: int, code: str) -> int:
        return asyncio.run(open_prompt(RecordedKernel(run_id, "engineer", cell), code, settings, console))

    assert prompt(1, "print(benchmark.benchmark, 6 * 7)\nnowhere") == FAILED, "the code has an error"
    shown = capsys.readouterr().out
    assert "✓ kernel of the engineer after cell 1: 1 cell ran again" in shown
    assert "gravity-chute 42" in shown
    assert "NameError" in shown
    with pytest.raises(UnknownCellError):
        prompt(999, "1")
