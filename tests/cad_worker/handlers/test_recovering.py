"""A session whose worker or kernel died goes on: files from the log, variables by running its cells again."""

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from uuid import uuid4

import pytest
import pytest_asyncio
from artifacts.testing import FakeArtifacts
from cad_worker.hosting.host import KernelHost
from cad_worker.sessions.messages import QuoteAnswer
from cad_worker.sessions.table import SessionTable
from cad_worker.sessions.tool_replies import replies_of
from chassis.errors import LeaseLostError
from chassis.leases import Leases
from chassis.testing import FakeBus
from contracts.engineering import EnvironmentBuilt, RunFailed
from contracts.session import (
    CellCompleted,
    CellRequested,
    FileWriteRequested,
    Observation,
    Recovery,
    SessionClosed,
    SessionRequested,
)
from contracts.simulation import SimulationFailed, SimulationRequested

from tests.cad_worker.handlers.conftest import LEASE_TTL_S, FirstAndNext
from tests.cad_worker.handlers.run import NoLinter, Run

pytestmark = pytest.mark.asyncio(loop_scope="session")

BUILDS = (
    "import random\nimport numpy as np\nfrom build123d import *\nluck = random.random()\nnoise = np.random.rand(20)",
    "base = Pos(0, 0, 2) * Box(40, 30, 4)",
    "base.label = 'base'\ndrilled = base - Cylinder(3, 10)",
    "base.metadata = {'manufacturing_method': '3d_printing', 'material_id': 'pla'}\nvolumes = []",
    "for edge in range(3):\n    volumes.append(drilled.volume * edge)",
    "half = luck\nraise ValueError('here')",
    "def twice(x):\n    return 2 * x\nmade = twice(21)",
)
QUOTES = "from utils import validate_and_price\nprice = validate_and_price(base)"
SIMULATES = "from utils import simulate\ntry:\n    simulate(Compound(label='a', children=[base]))\nexcept Exception as e:\n    told = str(e)"  # noqa: E501

DIES = "import random\n[random][0]._os._exit(7)"


class Talk:
    """A run's requests and answers, as the log has them."""

    def __init__(self, a_run: Run, bus: FakeBus) -> None:
        self._run = a_run
        self._bus = bus

    async def runs(self, code: str, timeout_s: float = 60.0) -> Observation:
        """Run a cell and let the log have it."""
        return (await self.completes(code, timeout_s)).observation

    async def completes(self, code: str, timeout_s: float = 60.0) -> CellCompleted:
        """Run a cell and let the log have it."""
        request = CellRequested(
            id=uuid4(),
            run_id=self._run.id,
            role="engineer",
            producer="engineer",
            purpose="test",
            code=code,
            timeout_s=timeout_s,
        )
        await self._bus.publish(request)
        completed = await self._run.handlers[CellRequested](request)
        await self._bus.publish(completed)
        assert isinstance(completed, CellCompleted)
        return completed

    async def writes(self, path: str, text: str) -> None:
        """Write a file and let the log have it."""
        request = self._run.wants_file(path, text)
        await self._bus.publish(request)
        await self._bus.publish(await self._run.handlers[FileWriteRequested](request))


class Asked:
    """What the workbenches and the simulator were asked."""

    def __init__(self, host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> None:
        self.quotes = 0
        self._quote = host.quote
        self._bus = bus
        monkeypatch.setattr(host, "quote", self._counted)
        bus.answers(SimulationRequested, self._fail)

    @property
    def simulations(self) -> int:
        """Return how many simulations the log knows."""
        return sum(isinstance(event, SimulationRequested) for event in self._bus.events)

    async def _counted(self, *question: object) -> QuoteAnswer:
        self.quotes += 1
        return await self._quote(*question)  # pyright: ignore[reportArgumentType] - passed on as it came

    async def _fail(self, request: SimulationRequested) -> SimulationFailed:
        return SimulationFailed.answering(
            request, "sim-worker", reason="scene_invalid", detail=f"no. {self.simulations}"
        )


class Tables:
    """Workers that know nothing but the log."""

    def __init__(self, a_run: Run, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: Leases) -> None:
        self._knows = (host, artifacts, bus, a_run, leases, NoLinter())

    def next(self, replay_s: float = 60.0) -> SessionTable:
        """Return one."""
        return SessionTable(*self._knows, replay_s=replay_s)


@pytest.fixture
def tables(a_run: Run, host: KernelHost, artifacts: FakeArtifacts, bus: FakeBus, leases: FirstAndNext) -> Tables:
    return Tables(a_run, host, artifacts, bus, leases.next)


@pytest.fixture
def talk(a_run: Run, bus: FakeBus) -> Talk:
    return Talk(a_run, bus)


@pytest.fixture
def asked_tools(host: KernelHost, bus: FakeBus, monkeypatch: pytest.MonkeyPatch) -> Asked:
    return Asked(host, bus, monkeypatch)


@pytest_asyncio.fixture(loop_scope="session")
async def asked(a_run: Run, built: EnvironmentBuilt, sessions: SessionTable, bus: FakeBus) -> SessionRequested:
    """A session that is open in the first worker."""
    asked = await a_run.wants_session(built.environment)
    await bus.publish(asked)
    await bus.publish(await sessions.open(asked))
    return asked


@pytest_asyncio.fixture(loop_scope="session")
async def next_worker(sessions: SessionTable, tables: Tables) -> AsyncIterator[SessionTable]:
    """A worker that knows nothing but the log."""
    del sessions  # is there first
    table = tables.next()
    yield table
    await table.stop()


async def takes_over(worker: SessionTable, asked: SessionRequested, leases: FirstAndNext) -> None:
    """Let the first worker be cut off, and the next one look."""
    await leases.part()
    await worker.look_after(asked)
    await worker.until_taken_over()


def told(observation: Observation) -> Recovery:
    """Return what is said of a recovery."""
    assert observation.recovery is not None
    return observation.recovery


async def test_k14_the_next_worker_has_equal_variables_and_asks_no_tool_again(
    talk: Talk, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext, asked_tools: Asked
) -> None:
    seen = [await talk.runs(code) for code in (*BUILDS, QUOTES, SIMULATES, "numbers = [price, luck]")]
    assert [each.status for each in seen] == [*["ok"] * 5, "error", *["ok"] * 4], [each.error for each in seen]
    asked_before = (asked_tools.quotes, asked_tools.simulations)
    assert asked_before == (1, 1)
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(luck, price, told, made, half == luck, noise.sum(), len(volumes))")
    recovery = told(after)
    assert recovery.replayed_cells == 10
    assert (recovery.lost, recovery.different, recovery.remarks) == ((), (), ())
    names = {variable.name for each in seen for variable in each.variables}
    assert set(recovery.restored) == names >= {"base", "luck", "noise", "volumes", "half", "price", "told", "made"}
    assert (asked_tools.quotes, asked_tools.simulations) == asked_before
    assert after.status == "ok"
    assert (await talk.runs("1")).recovery is None


async def test_what_a_tool_replied_is_kept_with_the_cell(
    talk: Talk, asked: SessionRequested, artifacts: FakeArtifacts, asked_tools: Asked
) -> None:
    for code in BUILDS[:4]:
        assert (await talk.completes(code)).tool_replies is None
    completed = await talk.completes(f"{QUOTES}\nvalidate_and_price(base)")
    replies = (await replies_of(artifacts, completed.tool_replies)).replies
    assert [(each.ordinal, each.tool) for each in replies] == [(0, "quote"), (1, "quote")]
    assert replies[0].arguments == replies[1].arguments
    assert asked_tools.quotes == 2


async def test_files_are_what_they_were_whoever_wrote_them(
    talk: Talk, asked: SessionRequested, sessions: SessionTable, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await talk.writes("sizes.py", "WIDTH = 1\n")
    await talk.runs("from sizes import WIDTH\nfirst = WIDTH")
    await talk.writes("sizes.py", "WIDTH = 12\n")
    await talk.writes("lid.py", "LID = 3\n")
    await talk.runs("from sizes import WIDTH\nfrom lid import LID")
    before = _digests(sessions)
    await takes_over(next_worker, asked, leases)
    assert _digests(next_worker) == before
    after = await talk.runs("print(first, WIDTH, LID)")
    assert after.output == "1 12 3\n"
    assert told(after).files == ("lid.py", "sizes.py")


async def test_a_cell_that_takes_its_kernel_with_it_takes_nothing_else(
    talk: Talk, asked: SessionRequested, sessions: SessionTable, asked_tools: Asked
) -> None:
    await talk.writes("sizes.py", "WIDTH = 12\n")
    for code in (*BUILDS, QUOTES):
        await talk.runs(code)
    before = _digests(sessions)
    killed = await talk.runs(f"made = 0\n{DIES}")
    assert killed.status == "killed"
    recovery = told(killed)
    assert recovery.replayed_cells == 8
    assert (recovery.lost, recovery.different) == ((), ())
    assert {"base", "luck", "made"} <= set(recovery.restored)
    assert _digests(sessions) == before
    assert asked_tools.quotes == 1
    assert (await talk.runs("print(made, WIDTH if 'WIDTH' in dir() else '-')")).output == "42 -\n"


async def test_a_worker_dies_after_a_kernel_has_and_the_session_is_what_it_was(
    talk: Talk, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await talk.runs("kept = [1]")
    assert (await talk.runs(f"kept.append(2)\n{DIES}")).status == "killed"
    await talk.runs("kept.append(3)")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(kept)")
    assert after.output == "[1, 3]\n"
    assert told(after).replayed_cells == 2


async def test_a_cell_that_ran_out_of_time_is_not_run_again_and_its_variables_are_said_to_be_lost(
    talk: Talk, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await talk.runs("kept = 5")
    assert (await talk.runs("early = 1\nwhile True:\n    pass", timeout_s=0.5)).status == "timeout"
    await talk.runs("later = kept")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(kept, later)\nearly")
    assert after.output == "5 5\n"
    recovery = told(after)
    assert (recovery.replayed_cells, recovery.lost, recovery.restored) == (2, ("early",), ("kept", "later"))
    assert any("cell 2 had run out of time" in remark for remark in recovery.remarks)


async def test_a_cell_that_asks_otherwise_than_then_ends_the_replay_and_that_is_told(
    talk: Talk, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext, asked_tools: Asked
) -> None:
    for code in BUILDS[1:4]:
        await talk.runs(f"from build123d import *\n{code}")
    await talk.runs("import time\nwide = Box(time.time() % 50 + 1, 5, 5)\nwide.label = 'wide'")
    await talk.runs("wide.metadata = base.metadata")
    await talk.runs("from utils import validate_and_price\nprice = validate_and_price(wide)")
    await talk.runs("last = 1")
    await takes_over(next_worker, asked, leases)
    after = await talk.runs("print(base.label)")
    recovery = told(after)
    assert after.output == "base\n"
    assert recovery.different == ("wide",)
    assert set(recovery.lost) == {"price", "last"}
    assert recovery.replayed_cells == 6
    assert any("where it had asked" in remark for remark in recovery.remarks)
    assert asked_tools.quotes == 1


async def test_the_time_for_running_cells_again_is_bounded(
    talk: Talk, asked: SessionRequested, leases: FirstAndNext, tables: Tables
) -> None:
    await talk.runs("import time\nfirst = 1\ntime.sleep(0.4)")
    await talk.runs("second = 2\ntime.sleep(0.4)")
    await talk.runs("third = 3")
    worker = tables.next(replay_s=0.6)
    await takes_over(worker, asked, leases)
    recovery = told(await talk.runs("print(first)"))
    assert "third" in recovery.lost
    assert "first" in recovery.restored
    assert any("no cell ran again" in remark for remark in recovery.remarks)
    await worker.stop()


async def test_a_session_that_a_living_worker_holds_is_left_to_it(
    a_run: Run, talk: Talk, asked: SessionRequested, sessions: SessionTable, next_worker: SessionTable
) -> None:
    await talk.runs("kept = 5")
    handlers = a_run.handlers
    await asyncio.sleep(3 * LEASE_TTL_S)
    await next_worker.look_after(asked)
    await sessions.look_after(asked)
    await next_worker.until_taken_over()
    assert a_run.handlers is handlers
    assert (await talk.runs("kept")).output == "5\n"


async def test_a_worker_that_comes_back_to_a_session_that_was_taken_over_kills_its_kernel_and_says_nothing(  # noqa: PLR0917
    a_run: Run,
    talk: Talk,
    asked: SessionRequested,
    sessions: SessionTable,
    next_worker: SessionTable,
    leases: FirstAndNext,
    bus: FakeBus,
) -> None:
    await talk.runs("kept = 5")
    fence = a_run.fence
    assert fence is not None
    (held,) = sessions.held
    await takes_over(next_worker, asked, leases)
    assert a_run.fence is not fence
    leases.side.is_away = False
    with pytest.raises(LeaseLostError):
        await fence()
    while held.workspace.folder.exists():  # noqa: ASYNC110 - it closes by itself
        await asyncio.sleep(0.01)
    assert held.is_ending
    assert not [event for event in bus.events if isinstance(event, SessionClosed)]
    assert (await talk.completes("kept")).epoch == 2
    await sessions.look_after(asked)
    assert not sessions.held


async def test_a_session_that_was_never_opened_is_left_to_its_redelivery(
    a_run: Run, built: EnvironmentBuilt, next_worker: SessionTable
) -> None:
    await next_worker.look_after(await a_run.wants_session(built.environment))
    await next_worker.until_taken_over()
    assert not a_run.handlers


async def test_a_session_whose_worker_died_at_the_end_of_its_run_is_closed_by_the_next_one(
    a_run: Run, asked: SessionRequested, next_worker: SessionTable, leases: FirstAndNext
) -> None:
    await leases.part()
    (closed,) = await next_worker.close_for_the_dead(_end(a_run))
    assert isinstance(closed, SessionClosed)
    assert (closed.causation_id, closed.role, closed.reason) == (asked.id, "engineer", "run_ended")


async def test_a_session_that_its_worker_closes_is_closed_once(
    a_run: Run, asked: SessionRequested, sessions: SessionTable, next_worker: SessionTable, bus: FakeBus
) -> None:
    looking = asyncio.create_task(next_worker.close_for_the_dead(_end(a_run)))
    await asyncio.sleep(0.1)
    assert not looking.done()
    await bus.publish(_end(a_run))
    assert await looking == []
    assert sum(isinstance(event, SessionClosed) for event in await bus.history(a_run.id)) == 1


def _digests(table: SessionTable) -> dict[str, str]:
    """Return the digest of every file of the one session that a worker holds."""
    (session,) = table.held
    folder = session.workspace.folder
    return {path: sha256((folder / path).read_bytes()).hexdigest() for path in session.workspace.files()}


def _end(a_run: Run) -> RunFailed:
    return RunFailed(id=uuid4(), run_id=a_run.id, role="planner", producer="test", reason="cancelled", detail="done")
