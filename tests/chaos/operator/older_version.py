"""An older version of this code, which makes and fills databases as it did then."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from uuid import UUID

COMMIT = "aba9d982"
"""The last one of schema version 0012."""
PARTS = ("libs", "services", "apps", "tests")
SCRIPT = """
import asyncio, json, os, sys
from chassis.app import App
from chassis.settings import BusSettings
from local_stack.migration import migrate_all
from recorder.app import make_app
from recorder.settings import Settings
from store.database import Database
from store.log import EventLog
from store.settings import DatabaseSettings
from tests.store.example_runs import new_request

async def main(count):
    await migrate_all({name: os.environ[name] for name in ("DATABASE_URL", "NATS_URL")})
    client, recorder, database = App("cli", BusSettings()), make_app(Settings()), Database(DatabaseSettings())
    for each in (client, recorder, database):
        await each.start()
    requests = [new_request() for _ in range(count)]
    for each in requests:
        await client.bus.publish(each)
    log = EventLog(database.engine)
    while not all([await log.events_of(each.run_id) for each in requests]):
        await asyncio.sleep(0.05)
    for each in (database, recorder, client):
        await each.stop()
    print(json.dumps([str(each.run_id) for each in requests]))

asyncio.run(main(int(sys.argv[1])))
"""


class OlderVersion:
    """The sources of the older commit in a folder."""

    def __init__(self, folder: Path) -> None:
        """Unpack them from the repository's history."""
        folder.mkdir()
        archive = subprocess.run(("git", "archive", COMMIT, *PARTS), check=True, capture_output=True).stdout
        subprocess.run(("tar", "-x", "-C", str(folder)), input=archive, check=True)
        self._folder = folder

    def record(self, environment: Mapping[str, str], count: int) -> list[UUID]:
        """Migrate the servers' database as it did, publish and record so many runs, and return them."""
        sources = [str(each) for part in PARTS[:3] for each in sorted(self._folder.glob(f"{part}/*/src"))]
        paths = {"PYTHONPATH": os.pathsep.join((str(self._folder), *sources))}
        ran = subprocess.run(
            (sys.executable, "-c", SCRIPT, str(count)),
            env={**os.environ, **environment, **paths},
            cwd=self._folder,
            check=True,
            capture_output=True,
            text=True,
        )
        return [UUID(each) for each in json.loads(ran.stdout.splitlines()[-1])]
