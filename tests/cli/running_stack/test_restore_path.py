"""The restore path of docs/history.md, word by word in a fresh clone, after a machine's data folder was lost."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from artifacts.bucket import Bucket
from artifacts.port import reference
from artifacts.settings import S3Settings
from local_stack.servers.server_stack import ServerStack
from store.database import Database
from store.log import EventLog
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.architecture.repository import ROOT
from tests.backups.conftest import RUN, record
from tests.cli.conftest import EXTERNAL
from tests.replay.recorded_run import RecordedLog, read

PAGE = (ROOT / "docs" / "history.md").read_text("utf-8")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def restore_path() -> str:
    """Return the page's commands for a restoration."""
    (block,) = [each for each in BLOCK.findall(PAGE) if "backup restore" in each]
    return block


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of what is committed, which its first command sets up."""
    folder = tmp_path_factory.mktemp("clone") / "millwright"
    subprocess.run(("git", "clone", "--quiet", str(ROOT), str(folder)), check=True)
    return folder


def shell(commands: str, clone: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run commands as a reader does, in the clone."""
    return subprocess.run(
        ["bash", "-e", "-c", commands], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )


async def record_run(servers: ServerStack) -> RecordedLog:
    """Record a run with its artifacts on a stack's servers."""
    settings = DatabaseSettings(database_url=servers.database_url)
    await migrate(settings)
    database, log, bucket = Database(settings), await read(RUN), bucket_of(servers)
    await record(database, list(log.events), 1)
    await bucket.create()
    for blob in log.artifacts.blobs.values():
        await bucket.put(reference(blob, "text/markdown"), blob)
    await database.stop()
    bucket.close()
    return log


async def require_restored(servers: ServerStack, log: RecordedLog) -> None:
    """Check that events and artifacts are there, byte by byte."""
    database, bucket = Database(DatabaseSettings(database_url=servers.database_url)), bucket_of(servers)
    await database.start()
    assert await EventLog(database.engine).events_of(log.events[0].run_id) == list(log.events)
    for blob in log.artifacts.blobs.values():
        assert await bucket.get(reference(blob, "")) == blob
    await database.stop()
    bucket.close()


def bucket_of(servers: ServerStack) -> Bucket:
    """Return the bucket of a stack's artifacts, open."""
    s3 = servers.s3
    bucket = Bucket(S3Settings(s3_endpoint=s3.endpoint, s3_access_key=s3.access_key, s3_secret_key=s3.secret_key))
    bucket.open()
    return bucket


@pytest.mark.timeout(900)  # with the set-up of a clone
@pytest.mark.parametrize("lost", ["data folder", "nothing"])
def test_restore_path_of_the_page_restores_a_lost_data_folder(lost: str, clone: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    environment = {name: value for name, value in os.environ.items() if name not in EXTERNAL}
    environment |= {"MILLWRIGHT_DATA": str(data), "MILLWRIGHT_BACKUPS": str(tmp_path / "backups")}
    servers = ServerStack(data).start()
    log = asyncio.run(record_run(servers))
    servers.stop()
    made = shell("./run backup create", clone, environment)
    assert "artifact" in made.stdout, made
    (manifest,) = (tmp_path / "backups" / "manifests").iterdir()
    path = restore_path()
    if lost == "data folder":
        servers.erase()
        shutil.rmtree(data)
    else:
        refused = shell(path, clone, environment)
        assert (refused.returncode, "would be lost" in refused.stderr) == (2, True), refused
        path = path.replace("backup restore", "backup restore --replace")
    # The recorded run is one whose other artifacts are not in the repository, which `restore` says by its exit code.
    lacks = bool(json.loads(manifest.read_text("utf-8"))["missing"])
    restored = shell(
        path.replace("--replace\n", "--replace || test $? = 1\n")
        if lacks and lost == "nothing"
        else (path.replace("backup restore\n", "backup restore || test $? = 1\n") if lacks else path),
        clone,
        environment,
    )
    assert restored.returncode == 0, restored
    servers = ServerStack(data).start()
    asyncio.run(require_restored(servers, log))
    servers.stop()
    servers.erase()
