"""A server that is older than the programs which dump and restore: its backups are restored into it."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from artifacts.settings import S3Settings
from local_stack.servers import postgres_home
from local_stack.servers.binaries import postgres_installation
from local_stack.servers.server_stack import ServerStack
from store.log import EventLog

from tests.backups.conftest import open_bucket
from tests.backups.released_dumps import RUN_ID, recorded_event
from tests.backups.test_released_schemas import NOW, backups_of, released_backup


@pytest.fixture
def older_database_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty database of the older Postgres in the wheel."""
    older = postgres_installation().parent / "pginstall"
    assert older != postgres_installation()
    monkeypatch.setattr(postgres_home, "postgres_installation", lambda: older)
    with TemporaryDirectory() as shared:
        Path(shared).chmod(0o755)  # Postgres does not run as root
        monkeypatch.setattr(postgres_home, "SHARED", Path(shared))
        servers = ServerStack(tmp_path / "older", only=("postgres",)).start()
        yield servers.database_url
        servers.stop()
        servers.erase()


@pytest.mark.full
async def test_backup_of_an_older_server_is_restored_into_it(
    older_database_url: str, s3_settings: S3Settings, tmp_path: Path
) -> None:
    bucket = await open_bucket(s3_settings)
    backups = backups_of(older_database_url, bucket, tmp_path)
    # A dump of the newer server, by its programs, goes into the older one, too.
    restored = await backups.restore(released_backup(tmp_path, "0012"))
    assert (restored.counts.events, restored.counts.runs) == (1, 1)
    made = await backups.create(NOW)
    assert await backups.verify(made) == []
    await backups.restore(made, replaces=True)
    assert await EventLog(backups.database.engine).events_of(RUN_ID) == [recorded_event()]
    await backups.database.stop()
    bucket.close()
