"""The recorder's work and the log at size: `./run perf recorder [--events 100000] [--copies 100] [--repetitions 100]`.

Starts a Postgres server and prints Markdown: events of about 1 KB that are parsed and recorded a second, read models
included, with the lag behind a backlog; events a second of a rebuild and of a replay without service logic; and, after
the log was copied within Postgres, times and plans of the list of runs and of one run's events. The table has the goals
as well; the exit code is always 0.
"""

import argparse
import asyncio
import gc
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from uuid import UUID, uuid4

from chassis.delivery.batch_reader import RawMessage
from contracts.envelope import Event
from local_stack.servers.server_stack import ServerStack
from recorder.parser import parse
from sqlalchemy import text
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.read_models.rebuild import checksums, rebuild
from store.runs import RunFilter, RunSummaries
from store.settings import DatabaseSettings

from tests.support.event_logs.synthetic_log import NOW, messages
from tests.support.measurements import percentile, setting, table

BATCH = 500
"""As the recorder's own."""
HEAD = ("work", "events/s", "per second of Python's CPU", "goal")
COPY_EVENTS = """
INSERT INTO log.events
SELECT md5(id::text || :copy)::uuid, md5(run_id::text || :copy)::uuid, kind, role, type, subject,
    stream_sequence + :copy * :count, causation_id, producer, occurred_at, recorded_at, schema_version, traceparent,
    body
FROM log.events WHERE stream_sequence <= :count
"""
COPY_RUNS = """
INSERT INTO read_models.runs
SELECT (jsonb_populate_record(run, jsonb_build_object('run_id', md5(run_id::text || :copy)::uuid,
    'sequence', sequence + :copy * :count))).*
FROM read_models.runs AS run WHERE sequence <= :count
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The recorder's work and the log at size.")
    parser.add_argument("--events", type=int, default=100_000, help="that are recorded, rebuilt from and replayed")
    parser.add_argument("--copies", type=int, default=100, help="of these events in the log that is read")
    parser.add_argument("--repetitions", type=int, default=100, help="of each query")
    arguments = parser.parse_args()
    gc.collect()
    gc.freeze()  # as every service does
    print(f"# Recorder and log\n\n{setting(('sqlalchemy', 'asyncpg', 'pydantic'))}\n", flush=True)
    with TemporaryDirectory(prefix=f"perf-recorder-{uuid4().hex[:6]}-") as folder:
        stack = ServerStack(Path(folder), only=("postgres",))
        stack.start()
        try:
            asyncio.run(_measure(stack.database_url, arguments.events, arguments.copies, arguments.repetitions))
        finally:
            stack.stop()
            stack.erase()


async def _measure(url: str, events: int, copies: int, repetitions: int) -> None:
    settings = DatabaseSettings(database_url=url, database_command_timeout_s=3600)
    await migrate(settings)
    database = Database(settings)
    run_ids, recorded = await _record(EventLog(database.engine), events)
    rows = [recorded, await _rebuild(database, events), await _replay(EventLog(database.engine), run_ids)]
    print(f"\n{table(HEAD, rows)}\n\nLoad average at the end: {os.getloadavg()[0]:.1f}.\n", flush=True)
    await _grow(database, events, copies)
    await _query(database, run_ids, repetitions)
    await database.stop()


async def _record(log: EventLog, count: int) -> tuple[list[UUID], tuple[str, ...]]:
    backlog = [RawMessage(each.subject, at, each.data, NOW) for at, each in enumerate(messages(count), 1)]
    size = sum(len(each.data) for each in backlog) / count
    print(f"{count} events of {size:.0f} bytes wait in a backlog; lag after each fifth of them:", flush=True)
    runs: dict[UUID, None] = {}
    begun_s, cpu_s = perf_counter(), process_time()
    for first in range(0, count, BATCH):
        entries = [each for each in map(parse, backlog[first : first + BATCH]) if isinstance(each, LogEntry)]
        await log.append(entries)
        runs |= {entry.event.run_id: None for entry in entries}
        done = first + len(entries)
        if done % (count // 5) < BATCH:
            print(f"- {perf_counter() - begun_s:.1f} s: {count - done} events", flush=True)
    return [*runs], _rate("recorded in batches of 500, read models included", count, begun_s, cpu_s, "5,000")


async def _rebuild(database: Database, count: int) -> tuple[str, ...]:
    async with database.engine.begin() as connection:
        before = await checksums(connection)
        begun_s, cpu_s = perf_counter(), process_time()
        await rebuild(connection)
        rate = _rate("read models rebuilt from the log", count, begun_s, cpu_s, "10,000")
        assert await checksums(connection) == before
    return rate


async def _replay(log: EventLog, run_ids: list[UUID]) -> tuple[str, ...]:
    begun_s, cpu_s = perf_counter(), process_time()
    count = 0
    for run_id in run_ids:
        events: list[Event] = await log.events_of(run_id)
        count += len(events)
    return _rate("replayed run by run without service logic", count, begun_s, cpu_s, "20,000")


def _rate(what: str, count: int, begun_s: float, cpu_s: float, goal: str) -> tuple[str, ...]:
    return what, f"{count / (perf_counter() - begun_s):,.0f}", f"{count / (process_time() - cpu_s):,.0f}", goal


async def _grow(database: Database, count: int, copies: int) -> None:
    begun_s = perf_counter()
    for copy in range(1, copies):
        async with database.engine.begin() as connection:
            for statement in (COPY_EVENTS, COPY_RUNS):
                query = statement.replace(":copy *", f"{copy} *").replace("|| :copy", f"|| '{copy}'")
                await connection.exec_driver_sql(query.replace(":count", str(count)))
    async with database.engine.connect() as connection:
        autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await autocommit.execute(text("VACUUM ANALYZE log.events"))
        await autocommit.execute(text("VACUUM ANALYZE read_models.runs"))
        events = await connection.scalar(text("SELECT count(*) FROM log.events"))
        runs = await connection.scalar(text("SELECT count(*) FROM read_models.runs"))
    print(
        f"The log has {events:,} events of {runs:,} runs, copied in {perf_counter() - begun_s:.0f} s.\n",
        flush=True,
    )


async def _query(database: Database, run_ids: list[UUID], repetitions: int) -> None:
    runs, log = RunSummaries(database.engine), EventLog(database.engine)
    chosen = iter(run_ids * repetitions)
    queries: dict[str, Callable[[], Awaitable[object]]] = {
        "list of the newest 50 runs (goal: p95 50 ms)": lambda: runs.page(RunFilter(), None, 50),
        "list of 50 that succeeded (50 ms)": lambda: runs.page(RunFilter(outcome="succeeded"), None, 50),
        "list of 50 of one benchmark (50 ms)": lambda: runs.page(RunFilter(benchmark="detour"), None, 50),
        "list of 50 of no such model (50 ms)": lambda: runs.page(RunFilter(model="none"), None, 50),
        "first 100 events of one run (100 ms)": lambda: log.page_of(next(chosen), None, 100),
        "all events of one run (100 ms)": lambda: log.events_of(next(chosen)),
    }
    rows: list[tuple[str, ...]] = []
    for name, query in queries.items():
        times = [await _time_ms(query) for _ in range(repetitions)]
        rows.append((name, *(f"{percentile(times, percent):.1f}" for percent in (50, 95))))
    print(table(("query", "p50 ms", "p95 ms"), rows), flush=True)
    for query in (
        "SELECT * FROM read_models.runs WHERE sequence IS NOT NULL ORDER BY sequence DESC, run_id DESC LIMIT 51",
        f"SELECT subject, body FROM log.events WHERE run_id = '{run_ids[0]}' ORDER BY stream_sequence, id LIMIT 100",  # noqa: S608 - an id of ours
    ):
        async with database.engine.connect() as connection:
            plan = "\n".join(await connection.scalars(text(f"EXPLAIN (ANALYZE, BUFFERS) {query}")))
        print(f"\n```text\n{query}\n{plan}\n```")


async def _time_ms(query: Callable[[], Awaitable[object]]) -> float:
    begun_s = perf_counter()
    await query()
    return (perf_counter() - begun_s) * 1000


if __name__ == "__main__":
    main()
