"""Generated requests for every operation of the API: `python -m tests.gateway.conformance`, in Markdown.

schemathesis sends them with all scopes and with `read` alone; once with parameters that it makes up, once with those of
a recorded run, a stored artifact and a benchmark; and follows links from one operation to the next. Requests with files
carry some that can be used, see `valid_files`. Every answer that docs/openapi.json does not describe, every valid
request that is refused and every invalid one that is accepted is a finding; the exit code is then 1.
"""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from artifacts.client import Artifacts
from chassis.administration.provisioning import provision
from chassis.delivery.batch_reader import RawMessage
from chassis.settings import BusSettings
from gateway.http.access import ALL_SCOPES
from gateway.settings import ApiToken
from local_stack.servers.server_stack import ServerStack
from pydantic import SecretStr
from recorder.parser import parse
from store.backup_requests import BackupRequests
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.architecture.repository import ROOT
from tests.gateway.gateway_settings import settings_on
from tests.gateway.generated_requests import findings_at, serving
from tests.support.clusters.cluster import Endpoints, started
from tests.support.event_logs.recorded_run import read
from tests.support.event_logs.synthetic_log import NOW
from tests.support.measurements import setting

RUN, BENCHMARK = "offline-chute", "gravity-chute"
READER = ApiToken(name="reader", token=SecretStr("r" * 32), scopes=frozenset(("read",)))
LIVE = ("--include-path-regex", "/events/live")
NOT_LIVE = ("--exclude-path-regex", "/events/live")
"""Apart: requests learn the ids of accepted runs, and streams of runs that nothing works on stay open."""
EVERYTHING = ApiToken(name="everything", token=SecretStr("e" * 32), scopes=ALL_SCOPES)


def main() -> None:
    """Send them, and print the reports."""
    parser = argparse.ArgumentParser(description="Generated requests for every operation of the API.")
    parser.add_argument("--examples", type=int, default=100, help="random requests of each operation, each time")
    examples = parser.parse_args().examples
    _print(f"# Generated requests\n\n{setting(('schemathesis', 'fastapi', 'pydantic'))}\n")
    with TemporaryDirectory(prefix="conformance-") as folder:
        servers = ServerStack(Path(folder))
        servers.start()
        try:
            found_nothing = _send(Endpoints.of(servers), Path(folder), examples)
        finally:
            servers.stop()
            servers.erase()
    sys.exit(not found_nothing)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _send(endpoints: Endpoints, folder: Path, examples: int) -> bool:
    known = asyncio.run(_prepare(endpoints))
    own = {"gateway_linger_s": 0.0, "gateway_tokens": (READER, EVERYTHING)}
    found_nothing = True
    with serving(settings_on(endpoints).model_copy(update=own)) as address:
        for token in (EVERYTHING, READER):
            for parameters, of in product((None, known), (NOT_LIVE, LIVE)):
                phases = "examples,coverage,fuzzing" + (",stateful" if parameters is None and of is NOT_LIVE else "")
                options = (*of, "--phases", phases, "--max-examples", str(examples), "--continue-on-failure")
                is_sound, report = findings_at(address, token, folder, options, parameters)
                found_nothing &= is_sound
                report = report.replace(f"{ROOT}/", "").replace(f"{folder}/", "")
                names = "made-up" if parameters is None else "known"
                _print(f"## Token `{token.name}`, {names} names, {' '.join(of)}\n```text\n{report.strip()}\n```\n")
    return found_nothing


async def _prepare(endpoints: Endpoints) -> Mapping[str, str]:
    """Record a run with one of its artifacts; return the parameters that name what exists."""
    database_settings = DatabaseSettings(database_url=endpoints.database_url)
    await migrate(database_settings)
    await provision(BusSettings(nats_url=endpoints.nats_url))
    recorded = await read(RUN)
    raw = [
        RawMessage(each.full_subject, at, each.model_dump_json().encode(), NOW)
        for at, each in enumerate(recorded.events, 1)
    ]
    entries = [each for each in map(parse, raw) if isinstance(each, LogEntry)]
    named = [ref for entry in entries for ref in entry.artifacts if ref.sha256 in recorded.artifacts.blobs]
    async with started(database := Database(database_settings), artifacts := Artifacts(endpoints.s3)):
        await EventLog(database.engine).append(entries)
        await artifacts.put(recorded.artifacts.blobs[named[0].sha256], named[0].media_type)
        await artifacts.wait_until_uploaded(named[:1])
        backup = await BackupRequests(database.engine).request(recorded.events[0].id)
    return {
        "run_id": str(recorded.events[0].run_id),
        "sha256": named[0].sha256,
        "name": BENCHMARK,
        "backup_id": str(backup.id),
    }


if __name__ == "__main__":
    main()
