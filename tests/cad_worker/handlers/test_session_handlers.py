"""Building the environment, opening and closing sessions, files and kernel tools."""

import asyncio
from pathlib import Path
from uuid import uuid5

import pytest
from artifacts.testing import FakeArtifacts
from cad_worker.handlers import build_environment
from cad_worker.host import KernelHost
from chassis.testing import FakeBus
from contracts.envelope import answering
from contracts.events.run import EnvironmentBuilt, EnvironmentRefused, RunFailed
from contracts.events.session import FileRefused, FileWritten, SessionClosed, SessionOpened
from contracts.events.simulation import SimulationCompleted, SimulationFailed, SimulationRequested
from contracts.models.simulation import ReplicaResult, SimulationResult
from documents.observation import observation_markdown
from documents.shipped_skills import shipped_files
from kernel_host.session_manager.manager import SessionManager

from tests.cad_worker.handlers.run_client import RunClient
from tests.support.kernel_world import ENVIRONMENT_CODE, GOOD_SCRIPT

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_environment_is_built_and_stored(built: EnvironmentBuilt, artifacts: FakeArtifacts) -> None:
    assert [solid.label for solid in built.environment.solids] == ["floor"]
    assert (await artifacts.get(built.environment.step)).startswith(b"ISO-10303-21")
    assert (await artifacts.get(built.environment.glb)).startswith(b"glTF")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import socket\nsocket.socket()", "code_failed"),
        ("import os\nos._exit(3)", "code_failed"),
        ("def build(variant):\n    return 5", "not_build123d"),
        (ENVIRONMENT_CODE.replace("Pos(0, 0, -5)", "Pos(0, 0, 150)"), "payload_in_wall"),
    ],
)
async def test_unusable_environment_is_refused_with_a_reason(
    code: str, reason: str, client: RunClient, host: KernelHost, artifacts: FakeArtifacts
) -> None:
    answer = await build_environment(await client.environment_request(code), host, artifacts)
    assert isinstance(answer, EnvironmentRefused)
    assert answer.reason == reason


async def test_opened_session_lists_its_files(opened: SessionOpened) -> None:
    assert {path for path in opened.files if path.startswith("skills/")} == set(shipped_files("engineer"))
    assert tuple(path for path in opened.files if not path.startswith("skills/")) == (
        "environment.glb",
        "environment.step",
        "journal.md",
        "plan.md",
        "script.py",
        "todo.md",
        "utils/__init__.py",
    )


@pytest.mark.usefixtures("opened")
async def test_script_template_has_an_empty_assembly(client: RunClient) -> None:
    done = await client.run_cell("from script import assembly\nprint(len(assembly.children))")
    assert done.observation.output == "0\n", done.observation


async def test_second_request_for_a_session_opens_no_other(
    client: RunClient, built: EnvironmentBuilt, manager: SessionManager, opened: SessionOpened
) -> None:
    again = await manager.open(await client.session_request(built.environment))
    assert isinstance(again, SessionOpened)
    assert again.ready_s == opened.ready_s


@pytest.mark.usefixtures("opened")
async def test_cell_imports_a_written_file(client: RunClient) -> None:
    written = await client.write_file("sizes.py", "WIDTH = 12\n")
    assert isinstance(written, FileWritten)
    assert written.size_bytes == 11
    assert (await client.run_cell("from sizes import WIDTH\nWIDTH")).observation.output == "12\n"


@pytest.mark.usefixtures("opened")
@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("utils/__init__.py", "x", "read_only"),
        ("utils/more.py", "x", "read_only"),
        ("plan.md", "x", "read_only"),
        ("skills/mine/SKILL.md", "x", "read_only"),
        ("./utils/x.py", "x", "read_only"),
        ("/etc/passwd", "x", "outside_workspace"),
        ("../neighbour/script.py", "x", "outside_workspace"),
        ("a/../../x", "x", "outside_workspace"),
        ("", "x", "outside_workspace"),
        ("script.py/inner.py", "x", "outside_workspace"),
        ("big.py", "x" * 300_000, "too_large"),
        ("zero.py", "a\x00b", "not_text"),
    ],
)
async def test_write_is_refused_with_a_reason(path: str, text: str, reason: str, client: RunClient) -> None:
    answer = await client.write_file(path, text)
    assert isinstance(answer, FileRefused)
    assert answer.reason == reason


def simulated(request: SimulationRequested) -> SimulationCompleted:
    """Return what a simulator might have seen."""
    nominal = ReplicaResult(
        ending="reached_goal", time_s=1.0, final_mm=(0, 0, 15), max_speed_m_s=1.5, closest_goal_mm=0.0
    )
    result = SimulationResult(
        verdict="solved",
        stability="untested",
        nominal=nominal,
        success_rate=1.0,
        trajectory_digest="0" * 64,
        summary_md="**SOLVED** after 1.0 s",
    )
    return SimulationCompleted(**answering(request, "sim-worker"), result=result)


@pytest.mark.usefixtures("opened")
async def test_each_simulate_call_is_one_request(client: RunClient, bus: FakeBus) -> None:
    async def simulator(request: SimulationRequested) -> SimulationCompleted:
        return simulated(request)

    bus.answers(SimulationRequested, simulator)
    await client.write_file("script.py", GOOD_SCRIPT)
    code = (
        "from script import assembly\nfrom utils import simulate\nfor _ in range(2):\n    result = simulate(assembly)"
    )
    done = await client.run_cell(code)
    assert done.observation.status == "ok", done.observation
    assert done.observation.output == "**SOLVED** after 1.0 s\n" * 2
    requests = [event for event in bus.events if isinstance(event, SimulationRequested)]
    cell = requests[0].causation_id
    assert cell is not None
    assert [event.id for event in requests] == [uuid5(cell, f"simulate {ordinal}") for ordinal in range(2)]
    assert {(event.role, event.run_id) for event in requests} == {("engineer", client.id)}


@pytest.mark.usefixtures("opened")
async def test_failed_simulation_is_an_error_of_the_cell(client: RunClient, bus: FakeBus) -> None:
    async def simulator(request: SimulationRequested) -> SimulationFailed:
        return SimulationFailed(
            **answering(request, "sim-worker"), reason="initial_penetration", detail="plate in floor"
        )

    bus.answers(SimulationRequested, simulator)
    await client.write_file("script.py", GOOD_SCRIPT)
    done = await client.run_cell("from script import assembly\nfrom utils import simulate\nsimulate(assembly)")
    assert done.observation.error is not None
    assert "initial_penetration" in done.observation.error.message
    assert len(observation_markdown(done.observation).encode()) < 6000


@pytest.mark.usefixtures("opened")
async def test_end_of_the_run_closes_the_session_and_leaves_nothing(client: RunClient, bus: FakeBus) -> None:
    descriptors = count_of("/proc/self/fd")
    where = await client.run_cell("import random\nprint([random][0]._os.getcwd())\nprint([random][0]._os.getpid())")
    folder, pid = where.observation.output.split()
    assert there(folder)
    await bus.publish(ended(client))
    closed = [event async for event in bus.follow(client.id, linger_s=2.0) if isinstance(event, SessionClosed)]
    assert [event.reason for event in closed] == ["run_ended"]
    assert not there(folder)
    assert not there(f"/proc/{pid}")
    assert count_of("/proc/self/fd") <= descriptors - 3  # channel, output, images


def there(path: str) -> bool:
    """Tell whether a path exists."""
    return Path(path).exists()


def count_of(folder: str) -> int:
    """Return the number of entries of a folder."""
    return len(list(Path(folder).iterdir()))


@pytest.mark.usefixtures("opened")
async def test_end_of_the_run_ends_a_waiting_cell(client: RunClient, bus: FakeBus) -> None:
    is_simulating = asyncio.Event()

    async def simulator(_request: SimulationRequested) -> SimulationCompleted:
        is_simulating.set()
        await asyncio.Event().wait()
        raise AssertionError("the simulator never answers")

    bus.answers(SimulationRequested, simulator)
    await client.write_file("script.py", GOOD_SCRIPT)
    cell = asyncio.create_task(
        client.run_cell("from script import assembly\nfrom utils import simulate\nsimulate(assembly)")
    )
    await is_simulating.wait()
    await bus.publish(ended(client))
    assert (await cell).observation.status == "killed"


def ended(client: RunClient) -> RunFailed:
    """Return the end of the run."""
    return RunFailed(
        id=uuid5(client.id, "end"),
        run_id=client.id,
        role="planner",
        producer="planner",
        reason="cancelled",
        detail="enough",
    )
