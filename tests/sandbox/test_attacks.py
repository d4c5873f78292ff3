"""Attacks from inside a confined child of the bare library."""

import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox.confinement.confine import Confinement
from sandbox.host import SandboxHost
from sandbox.zygote.client import Zygote

from tests.sandbox.child_defence import defend_child
from tests.sandbox.untrusted_code import RUN_CODE, Code
from tests.support.confinement.attacks import ATTACKS, Defence
from tests.support.confinement.ordinary_user import ORDINARY_UID, as_ordinary_user, interpreter_folders
from tests.support.isolated import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="session")


def allows_user_namespaces() -> bool:
    """Return whether an ordinary user may make one in which its id is kept."""
    command = ("setpriv", f"--reuid={ORDINARY_UID}", "--clear-groups", "unshare", "--map-current-user", "true")
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.fixture
def unprivileged_folder() -> Iterator[Path]:
    """A folder of an unprivileged user: other users cannot enter pytest's folders."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-test-"))
    shutil.chown(folder, ORDINARY_UID)
    yield folder
    shutil.rmtree(folder)


async def test_every_attack_is_denied(host: SandboxHost) -> None:
    assert len(ATTACKS) >= 120
    assert (await defend_child(host)).not_denied == {}


@pytest.mark.parametrize("abi", [2, 4])
async def test_every_attack_is_denied_with_an_older_landlock(
    abi: int, host: SandboxHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked = Zygote.fork

    async def fork_with_older_landlock(zygote: Zygote, *args: object, **kwargs: object) -> object:
        monkeypatch.setattr(zygote, "_landlock_abi", abi)
        return await forked(zygote, *args, **kwargs)  # pyright: ignore[reportArgumentType] - passed on unchanged

    monkeypatch.setattr(Zygote, "fork", fork_with_older_landlock)
    assert (await defend_child(host)).not_denied == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user anyway")
async def test_every_attack_is_denied_where_the_host_is_an_ordinary_user(unprivileged_folder: Path) -> None:
    attack = (sys.executable, "-B", "-m", "tests.sandbox.child_defence", str(unprivileged_folder))
    command = as_ordinary_user(attack, [*interpreter_folders(), ROOT])
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    printed, _ = await process.communicate()
    defence = Defence.model_validate_json(printed)
    assert (process.returncode, defence.user, defence.not_denied) == (0, ORDINARY_UID, {})


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a user that others do not share")
async def test_threads_of_an_ordinary_users_children_are_limited_exactly(unprivileged_folder: Path) -> None:
    """Each has a user namespace of its own, where the machine allows that; in machine code, too."""
    if not allows_user_namespaces():
        pytest.skip("this machine forbids user namespaces")
    bomb = (sys.executable, "-B", "-m", "tests.sandbox.thread_bomb", str(unprivileged_folder))
    command = as_ordinary_user(bomb, [*interpreter_folders(), ROOT])
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, stdout=subprocess.PIPE)
    printed, _ = await process.communicate()
    limit = Confinement(Path("/")).threads
    assert printed.split() == [str(limit - 1).encode()] * 2


async def test_child_has_a_clean_environment(host: SandboxHost) -> None:
    assert "PATH" in os.environ
    printed = await host.run_job(RUN_CODE, Code(text="import os\nprint(sorted(os.environ))"))
    assert "PYTHONHASHSEED" in printed.text
    assert "'PATH'" not in printed.text


async def test_child_has_only_its_own_descriptors(host: SandboxHost) -> None:
    code = (
        "import os\nfor each in range(256):\n    try:\n        os.fstat(each)\n        print(each)\n"
        "    except OSError:\n        pass"
    )
    assert (await host.run_job(RUN_CODE, Code(text=code))).text.split() == ["0", "1", "2", "3", "4"]


async def test_memory_of_a_child_is_limited(host: SandboxHost) -> None:
    code = "try:\n    [bytes(1 << 26) for _ in range(1000)]\nexcept MemoryError:\n    print('limited')"
    assert (await host.run_job(RUN_CODE, Code(text=code))).text == "limited\n"
