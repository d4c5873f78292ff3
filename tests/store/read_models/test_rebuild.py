"""Read models rebuilt from the log are those that were written with the events, whatever the batches were."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from contracts.envelope import Event
from contracts.events.session import FileViewed
from sqlalchemy import text
from store.database import Database
from store.log import EventLog, LogEntry
from store.migrate import migrate
from store.read_models import rebuild as rebuilding
from store.read_models.rebuild import checksums, made_by, rebuild
from store.read_models.registry import TABLES, VERSION
from store.settings import DatabaseSettings

from tests.store.example_runs import EXAMPLES, log_entries, new_request, run_success, session_events
from tests.support.event_logs.extreme_events import copy_of_run, extreme_variants
from tests.support.event_logs.recorded_run import names, read

BATCHES = (1, 7, 500)


async def _all_events() -> list[Event]:
    """Return examples of all classes, each in a run of its own and all in one, a view of a skill, and recorded runs."""
    view = EXAMPLES[FileViewed].model_copy(update={"path": "skills/planning/SKILL.md"})
    alone = [each for event in EXAMPLES.values() for each in copy_of_run([event], uuid4())]
    together = {event.id: event for event in copy_of_run([*EXAMPLES.values()], uuid4())}
    return [*alone, *together.values(), *copy_of_run([view], uuid4()), *await _recorded_runs()]


async def _recorded_runs() -> list[Event]:
    runs = [(await read(name)).events for name in names()]
    return list({event.id: event for run in runs for event in run}.values())


async def _append(database: Database, entries: Sequence[LogEntry], size: int) -> None:
    log = EventLog(database.engine)
    for first in range(0, len(entries), size):
        await log.append(entries[first : first + size])


async def _checksums(database: Database) -> dict[str, str]:
    async with database.engine.connect() as connection:
        return dict(await checksums(connection))


async def _rebuild(database: Database) -> rebuilding.Rebuilt:
    async with database.engine.begin() as connection:
        return await rebuild(connection)


async def test_rebuilt_tables_equal_the_written_ones_in_every_row(
    migrated: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = log_entries(*await _all_events())
    third = len(entries) // 3
    for size, part in zip(BATCHES, (entries[:third], entries[third : 2 * third], entries[2 * third :]), strict=True):
        await _append(migrated, part, size)
    await _append(migrated, entries[: 2 * third], 100)  # delivered again
    written = await _checksums(migrated)
    assert not [name for name, checksum in written.items() if checksum.startswith("0 rows")]
    async with migrated.engine.begin() as connection:
        for model in TABLES:
            await connection.execute(text(f"TRUNCATE read_models.{model.name}"))
    assert set(await _checksums(migrated)) == set(written)
    monkeypatch.setattr(rebuilding, "PAGE", 97)
    assert await _rebuild(migrated) == (len(entries), 0)
    assert await _checksums(migrated) == written


async def test_batches_in_another_order_make_the_same_tables(migrated: Database) -> None:
    alone = [each for event in EXAMPLES.values() for each in copy_of_run([event], uuid4())]
    entries = log_entries(*alone, *await _recorded_runs())
    await _append(migrated, list(reversed(entries)), 11)
    written = await _checksums(migrated)
    await _rebuild(migrated)
    assert await _checksums(migrated) == written


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", range(4))
async def test_no_value_of_an_event_prevents_its_recording(migrated: Database, first: int) -> None:
    """Every fourth of the variants: each event and most fields are among them."""
    variants = [variant for event in EXAMPLES.values() for variant in extreme_variants(event)]
    assert len(variants) > 10 * len(EXAMPLES)
    chosen = variants[first::4]
    await _append(migrated, log_entries(*chosen), 500)
    written = await _checksums(migrated)
    assert (await _rebuild(migrated)).events == len(chosen)
    assert await _checksums(migrated) == written


async def test_two_recorders_of_the_same_events_count_each_once(migrated: Database) -> None:
    entries = log_entries(*await _all_events())
    await asyncio.gather(*(_append(migrated, entries, size) for size in (5, 13, 50)))
    written = await _checksums(migrated)
    await _rebuild(migrated)
    assert await _checksums(migrated) == written


async def test_recorder_waits_for_a_rebuild_and_then_adds_its_events(migrated: Database) -> None:
    request = new_request()
    first, rest = log_entries(request), log_entries(*session_events(request, 3), run_success(request), first_sequence=2)
    await _append(migrated, first, 1)
    async with migrated.engine.begin() as connection:
        await rebuild(connection)
        adding = asyncio.create_task(_append(migrated, rest, 10))
        await asyncio.sleep(0.2)
        assert not adding.done()
        assert (await _checksums(migrated))["runs"].startswith("1 rows")  # readers see what was there
    await adding
    written = await _checksums(migrated)
    await _rebuild(migrated)
    assert await _checksums(migrated) == written


async def test_migration_rebuilds_what_another_version_made(
    migrated: Database, empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _append(migrated, log_entries(*await _all_events()), 500)
    written = await _checksums(migrated)
    async with migrated.engine.begin() as connection:
        await connection.execute(text("UPDATE read_models.state SET version = 0"))
        await connection.execute(text("DELETE FROM read_models.runs"))
    await migrate(DatabaseSettings(database_url=empty_database_url))
    assert await _checksums(migrated) == written
    async with migrated.engine.connect() as connection:
        assert await made_by(connection) == VERSION


async def test_event_that_cannot_be_parsed_counts_in_its_run(migrated: Database) -> None:
    request = new_request()
    await _append(migrated, log_entries(request, run_success(request)), 10)
    async with migrated.engine.begin() as connection:
        await connection.execute(text("UPDATE log.events SET body = '{}' WHERE type = 'RunSucceeded'"))
    assert await _rebuild(migrated) == (2, 1)
    async with migrated.engine.connect() as connection:
        row = (await connection.execute(text("SELECT events, outcome FROM read_models.runs"))).one()
    assert tuple(row) == (2, None)
