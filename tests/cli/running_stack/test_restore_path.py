"""The restore path of docs/history.md, word by word in a fresh clone, after a machine's data folder was lost."""

import asyncio
import os
import re
import subprocess
from pathlib import Path
from random import Random
from shutil import rmtree
from uuid import UUID

import pytest
from contracts.models.artifact import ArtifactRef
from local_stack.servers.secrets import SECRETS, read_secrets
from local_stack.servers.stack_records import erase

from tests.architecture.repository import ROOT
from tests.chaos.operator.stack_of_data import Lost, opened, started_servers
from tests.cli.conftest import EXTERNAL

PAGE = (ROOT / "docs" / "history.md").read_text("utf-8")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
Recorded = tuple[UUID, ArtifactRef]


def restore_path() -> str:
    """Return the page's commands for a restoration."""
    (block,) = [each for each in BLOCK.findall(PAGE) if "backup restore" in each]
    return block


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of what is committed, which its first command sets up."""
    folder = tmp_path / "millwright"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    return folder


def shell(commands: str, clone: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run commands as a reader does, in the clone, up to the first that fails."""
    return subprocess.run(
        ["bash", "-e", "-c", commands], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )


async def record(data: Path, seed: int) -> Recorded:
    """Record a run and an artifact that it names, on a stack that is begun if there is none."""
    async with started_servers(data) as servers, opened(servers) as stack:
        run, ref = await stack.record(Random(seed))
        assert await stack.audit([run], [ref]) == Lost((), ())
        return run, ref


async def lost(data: Path, recorded: Recorded) -> Lost:
    """Return what of it a stack does not have, byte by byte."""
    async with started_servers(data) as servers, opened(servers) as stack:
        return await stack.audit([recorded[0]], [recorded[1]])


def lose(data: Path) -> None:
    """Remove all that a stack has stored."""
    stack = read_secrets(data / SECRETS).stack
    rmtree(data)
    erase(stack)


@pytest.mark.timeout(900)  # with the set-up of a clone
def test_restore_path_of_the_page_restores_a_lost_data_folder(clone: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    environment = {name: value for name, value in os.environ.items() if name not in EXTERNAL}
    environment |= {"MILLWRIGHT_DATA": str(data), "MILLWRIGHT_BACKUPS": str(tmp_path / "backups")}
    recorded = asyncio.run(record(data, 1))
    made = shell("./run backup create", clone, environment)
    assert "1 run, 0 skills, 1 artifact" in made.stdout, made

    lose(data)
    restored = shell(restore_path(), clone, environment)
    assert restored.returncode == 0, restored.stderr
    assert str(recorded[0]) in restored.stdout
    assert asyncio.run(lost(data, recorded)) == Lost((), ())

    lose(data)
    asyncio.run(record(data, 2))  # the stack has begun again, without the backup
    refused = shell("./run backup restore", clone, environment)
    assert (refused.returncode, "would be lost" in refused.stderr) == (2, True), refused
    replacing = re.sub("(backup restore|rebuild-stream)\n", r"\1 --replace\n", restore_path())
    restored = shell(replacing, clone, environment)
    assert restored.returncode == 0, restored.stderr
    assert str(recorded[0]) in restored.stdout
    assert asyncio.run(lost(data, recorded)) == Lost((), ())
    lose(data)
