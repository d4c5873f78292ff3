"""Generated requests for every operation of the API: `python -m tests.gateway.conformance`, in Markdown.

Each operation gets them four times: of a gateway without tokens, and of one with tokens, sent with all scopes, with
`read` alone and with no token; a tenth of them by these two, whom the guard answers. Every other request names a
recorded run, a stored artifact or a benchmark. Any answer that docs/openapi.json does not describe, or that is a
failure of the gateway, is printed; the exit code is then 1.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from artifacts.client import Artifacts
from chassis.administration.provisioning import provision
from chassis.delivery.batch_reader import RawMessage
from chassis.settings import BusSettings
from gateway.http.access import ALL_SCOPES
from gateway.settings import ApiToken, Settings
from local_stack.servers.server_stack import ServerStack
from pydantic import SecretStr
from recorder.parser import parse
from store.backup_requests import BackupRequests
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.settings import DatabaseSettings

from tests.gateway.gateway_settings import settings_on
from tests.gateway.generated_requests import OPERATIONS, check_operation, serving
from tests.replay.recorded_run import read
from tests.support.clusters.cluster import Endpoints, started
from tests.support.event_logs.synthetic_log import NOW
from tests.support.measurements import setting, table

RUN, BENCHMARK = "offline-chute", "gravity-chute"
READER = ApiToken(name="reader", token=SecretStr("r" * 32), scopes=frozenset(("read",)))
EVERYTHING = ApiToken(name="everything", token=SecretStr("e" * 32), scopes=ALL_SCOPES)
CALLERS: Mapping[str, ApiToken | None] = {"all scopes": EVERYTHING, "`read`": READER, "no token": None}
OPEN = "without tokens"
MAY_DO_ALL = (OPEN, "all scopes")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Generated requests for every operation of the API.")
    parser.add_argument("--examples", type=int, default=1000, help="requests of each operation by each caller")
    examples = parser.parse_args().examples
    _print(f"# Generated requests\n\n{setting(('schemathesis', 'fastapi', 'pydantic'))}\n")
    begun_s = monotonic()
    with TemporaryDirectory(prefix="perf-conformance-") as folder:
        servers = ServerStack(Path(folder))
        servers.start()
        try:
            endpoints = Endpoints.of(servers)
            known = asyncio.run(_prepare(endpoints))
            found, faults = _send(settings_on(endpoints).model_copy(update={"gateway_linger_s": 0.0}), examples, known)
        finally:
            servers.stop()
            servers.erase()
    rows = [(f"`{label}`", *(_counts(found[label, caller]) for caller in (OPEN, *CALLERS))) for label in OPERATIONS]
    _print(f"Answers by status, up to {examples} requests for each cell of callers that may do all:\n")
    _print(table(("operation", OPEN, *CALLERS), rows))
    total = sum(each.total() for each in found.values())
    _print(f"\n{total:,} requests in {monotonic() - begun_s:.0f} s, {len(faults)} faults.")
    _print("\n".join(faults))
    sys.exit(bool(faults))


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


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
        "benchmark": BENCHMARK,
        "backup_id": str(backup.id),
    }


def _send(
    settings: Settings, examples: int, known: Mapping[str, str]
) -> tuple[dict[tuple[str, str], Counter[int]], list[str]]:
    found: dict[tuple[str, str], Counter[int]] = {}
    faults: list[str] = []

    def send(address: str, caller: str, headers: Mapping[str, str] | None) -> None:
        for label in OPERATIONS:
            try:
                count = examples if caller in MAY_DO_ALL else -(-examples // 10)
                found[label, caller] = check_operation(address, label, count, headers, known)
            except (AssertionError, BaseExceptionGroup) as error:
                found[label, caller] = Counter()
                faults.append(f"\n{label}, {caller}:\n```text\n{error}\n```")

    with serving(settings) as address:
        send(address, OPEN, None)
    guarded = settings.model_copy(update={"gateway_tokens": (READER, EVERYTHING)})
    with serving(guarded) as address:
        for caller, token in CALLERS.items():
            send(address, caller, None if token is None else _bearer(token))
    return found, faults


def _bearer(token: ApiToken) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {token.token.get_secret_value()}"}


def _counts(statuses: Counter[int]) -> str:
    return ", ".join(f"{status}: {statuses[status]}" for status in sorted(statuses)) or "fault"


if __name__ == "__main__":
    main()
