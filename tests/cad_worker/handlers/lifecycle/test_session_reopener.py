"""A run with another plan requests its session again: plan and TODO list change, and nothing else."""

import asyncio
from uuid import uuid4

import pytest
from chassis.testing import FakeBus
from contracts.events.session import SessionOpened, SessionRequested
from kernel_host.session_manager.manager import SessionManager

from tests.cad_worker.handlers.logged_client import LoggedClient, recovery_of, take_over
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def request_again(client: RunClient, bus: FakeBus, open_request: SessionRequested) -> SessionRequested:
    """Request the session with another plan, and let its worker answer, as the bus would."""
    again = open_request.model_copy(
        update={"id": uuid4(), "plan_md": "# Plan B\n", "todo_md": "# TODO\n\n- [ ] T1: lift\n"}
    )
    await bus.publish(again)
    await bus.publish(await client.handlers[SessionRequested](again))
    return again


def texts(manager: SessionManager, *paths: str) -> list[object]:
    """Return files of the only session."""
    (session,) = manager.sessions
    return [session.workspace.read(path) for path in paths]


async def test_new_plan_replaces_plan_and_todo_and_nothing_else(
    client: RunClient, bus: FakeBus, logged: LoggedClient, open_request: SessionRequested, manager: SessionManager
) -> None:
    await logged.write_file("todo.md", "# TODO\n\n- [x] T1: build\n")
    await logged.write_file("sizes.py", "WIDTH = 12\n")
    await logged.run_cell("kept = 5")
    again = await request_again(client, bus, open_request)
    plan, todo, sizes = texts(manager, "plan.md", "todo.md", "sizes.py")
    assert (plan, todo, sizes) == ("# Plan B\n", "# TODO\n\n- [ ] T1: lift\n", "WIDTH = 12\n")
    assert isinstance(await manager.open(again), SessionOpened), "the bus gets the session's own answer"
    assert (await logged.run_cell("print(kept)")).output == "5\n"
    assert (await logged.run_cell("open('plan.md', 'w')")).status != "ok"
    (session,) = manager.sessions
    assert not {path for path in session.workspace.files() if path.startswith(".")}


async def test_takeover_replays_the_new_plan_in_order(
    logged: LoggedClient,
    open_request: SessionRequested,
    *,
    client: RunClient,
    bus: FakeBus,
    next_manager: SessionManager,
    leases: WorkerLeases,
) -> None:
    await logged.run_cell("kept = 5")
    again = await request_again(client, bus, open_request)
    await logged.write_file("todo.md", "# TODO\n\n- [x] T1: lift\n")
    await take_over(next_manager, again, leases)
    assert texts(next_manager, "plan.md", "todo.md") == ["# Plan B\n", "# TODO\n\n- [x] T1: lift\n"]
    after = await logged.run_cell("print(kept)")
    assert (after.output, recovery_of(after).lost) == ("5\n", ())


async def test_orphaned_session_is_opened_by_a_further_request(
    logged: LoggedClient,
    open_request: SessionRequested,
    *,
    bus: FakeBus,
    next_manager: SessionManager,
    leases: WorkerLeases,
) -> None:
    await logged.run_cell("kept = 5")
    await leases.cut_off_first()
    again = open_request.model_copy(update={"id": uuid4(), "plan_md": "# Plan B\n"})
    await bus.publish(again)
    answer = await asyncio.wait_for(next_manager.open(again), timeout=20)
    assert isinstance(answer, SessionOpened)
    assert texts(next_manager, "plan.md") == ["# Plan B\n"]
    assert (await logged.run_cell("print(kept)")).output == "5\n"
