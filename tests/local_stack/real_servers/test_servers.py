"""The local servers, for real."""
# asyncpg brings no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import asyncio
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import asyncpg
import pytest
from local_stack.data_folder import create_private
from local_stack.errors import UserError
from local_stack.servers.server_stack import ServerStack

from tests.support.processes import descendants, gone_within, is_alive, with_descendants

PARENT = Path(__file__).with_name("parent_process.py")
STOP_S = 30.0
"""For a busy machine; how soon servers stop on a quiet one is what `./run chaos shutdown` measures."""


@pytest.fixture
def folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="millwright-test-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def start_parent(folder: Path, *options: str) -> tuple[subprocess.Popen[str], dict[str, int]]:
    """Return the parent once its servers work, and their process ids; it either prints them or ends."""
    parent = subprocess.Popen(
        [sys.executable, str(PARENT), str(folder), *options], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout
    with parent.stdout:
        line = parent.stdout.readline()
    assert line, f"the parent ended with {parent.wait()}"
    return parent, json.loads(line)["pids"]


async def rows(url: str, statement: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(statement)
    finally:
        await connection.close()


async def until_replaced(servers: ServerStack, name: str, old: int) -> None:
    async with asyncio.timeout(60):
        while servers.pids().get(name, old) == old:  # noqa: ASYNC110 - nothing can be awaited here
            await asyncio.sleep(0.05)


async def test_servers_killed_return_with_ports_and_data(folder: Path) -> None:
    async with ServerStack(folder) as servers:
        before = servers.environment()
        await rows(servers.database_url, "create table stored (n int)")
        await rows(servers.database_url, "insert into stored values (7)")
        old = servers.pids()
        for name in ("nats-server", "postgres"):
            os.kill(old[name], signal.SIGKILL)
            await until_replaced(servers, name, old[name])
        async with asyncio.timeout(60):
            while True:
                try:
                    stored = await rows(servers.database_url, "select n from stored")
                    break
                except (OSError, asyncpg.PostgresError):
                    await asyncio.sleep(0.1)
        assert [row["n"] for row in stored] == [7]
        assert servers.environment() == before
        family = with_descendants(servers.pids().values())
    assert gone_within(family, STOP_S)
    servers.erase()


def test_start_waits_for_processes_of_a_killed_postgres(folder: Path) -> None:
    """One that is stopped stands for one that a busy machine lets work on: it holds the shared memory."""
    servers = ServerStack(folder, only=["postgres"]).start()
    try:
        old = servers.pids()["postgres"]
        straggler = next(each.pid for each in descendants(old) if "checkpointer" in each.command)
        os.kill(straggler, signal.SIGSTOP)
        os.kill(old, signal.SIGKILL)
        assert gone_within([old], STOP_S)
        Timer(1.0, os.kill, (straggler, signal.SIGKILL)).start()
        servers.supervisor.restart("postgres")
        servers.supervisor.wait_until_ready()
    finally:
        servers.stop()
        servers.erase()


def test_servers_started_again_use_ports_passwords_and_data(folder: Path) -> None:
    first = ServerStack(folder).start()
    environment = first.environment()
    asyncio.run(rows(first.database_url, "create table stored (n int)"))
    first.stop()
    second = ServerStack(folder).start()
    assert second.environment() == environment
    assert asyncio.run(rows(second.database_url, "select n from stored")) == []
    second.stop()
    second.erase()


def test_servers_die_with_a_killed_parent(folder: Path) -> None:
    parent, pids = start_parent(folder)
    family = with_descendants([parent.pid])
    assert len(family) > 1 + len(pids)  # Postgres has helper processes
    parent.kill()
    parent.wait()
    assert gone_within(family, STOP_S)
    again, _ = start_parent(folder, "--erase")
    again.terminate()
    assert again.wait(STOP_S) == 0


def test_servers_have_process_groups_of_their_own(folder: Path) -> None:
    parent, pids = start_parent(folder, "--erase")
    assert all(os.getpgid(pid) != os.getpgid(parent.pid) for pid in pids.values())
    parent.terminate()
    assert parent.wait(STOP_S) == 0
    assert not any(is_alive(pid) for pid in pids.values())


def test_servers_start_for_an_ordinary_user(folder: Path) -> None:
    user = pwd.getpwnam("daemon").pw_uid  # initdb looks its user up
    command = [sys.executable, "-c", START_AND_STOP, str(folder)]
    as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    # An interpreter or checkout under root's home of mode 700 is closed to others: then root runs it once more.
    interpreter = str(Path(sys.executable).resolve())
    is_readable = [*as_user, "sh", "-c", 'test -x "$0" && "$1" -c "import cli"', interpreter, sys.executable]
    if os.geteuid() == 0 and subprocess.run(is_readable, check=False).returncode == 0:
        shutil.chown(folder, user, user)
        command = [*as_user, *command]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


START_AND_STOP = """
import sys, pathlib
from local_stack.servers.server_stack import ServerStack
servers = ServerStack(pathlib.Path(sys.argv[1])).start()
servers.stop()
servers.erase()
"""


def test_second_stack_in_a_folder_is_refused(folder: Path) -> None:
    parent, _ = start_parent(folder, "--erase")
    with pytest.raises(UserError, match=str(folder)):
        ServerStack(folder).start()
    parent.terminate()
    parent.wait(STOP_S)


def test_start_in_an_unwritable_folder_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file"):
        ServerStack(tmp_path / "file" / "data").start()


def test_data_and_logs_are_closed_to_other_users(folder: Path) -> None:
    data = folder / "data"
    (data / "logs").mkdir(parents=True)  # of an older version, open to all
    (data / "logs").chmod(0o755)
    servers = ServerStack(data, only=("nats-server",)).start()
    try:
        assert [path.stat().st_mode & 0o777 for path in (data, data / "logs", data / "nats")] == [0o700] * 3
    finally:
        servers.stop()
        servers.erase()


def test_folder_that_users_share_stays_open(folder: Path) -> None:
    folder.chmod(0o1777)
    assert create_private(folder).stat().st_mode & 0o7777 == 0o1777
