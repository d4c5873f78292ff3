"""The one journal: what the engineer notes is in journal.md of its session, also after a recovery."""

from uuid import uuid4

import pytest
from contracts.events.conversation import JournalEntryAdded
from contracts.events.session import SessionRequested
from documents.journal import JournalEntry, read_journal
from kernel_host.session_manager.manager import SessionManager

from tests.cad_worker.handlers.logged_client import DIES, LoggedClient, file_digests, take_over
from tests.cad_worker.handlers.run_client import RunClient
from tests.cad_worker.handlers.worker_leases import WorkerLeases

pytestmark = [pytest.mark.asyncio(loop_scope="session")]

ADDS = "journal.add('try {0}', 'it fell', 'too steep', 'flatter')"


def noted(
    client: RunClient, number: int, *, own: tuple[int, ...] = (), simulations: tuple[int, ...] = ()
) -> JournalEntryAdded:
    """Return an entry of the engineer, which covers 100 tokens."""
    return JournalEntryAdded(
        id=uuid4(),
        run_id=client.id,
        role="engineer",
        producer="engineer",
        intent=f"preview {number}",
        result="solved\x00 after\n3 s",
        reflection="the slope holds",
        next_step="submit",
        number=number,
        from_token=100 * number - 100,
        to_token=100 * number,
        rule=1,
        film_md="# The film\n\n- 0.4 s: it rolls",
        simulations=simulations,
        own_entries=own,
    )


def entries_of(manager: SessionManager) -> tuple[JournalEntry, ...]:
    """Return the entries in journal.md of the only session of a worker."""
    (session,) = manager.sessions
    return read_journal((session.workspace.folder / "journal.md").read_text()).entries


@pytest.mark.usefixtures("open_request")
async def test_noted_entries_are_in_the_file_and_own_ones_get_their_span(
    client: RunClient, logged: LoggedClient, manager: SessionManager
) -> None:
    await logged.complete_cell(ADDS.format(1))
    own = noted(client, 1, own=(1,), simulations=(1, 2, 3))
    await logged.complete_cell("print(journal.entries[0].covers.line())", noted=(own,))
    trial = noted(client, 2, simulations=(4,))
    seen = await logged.complete_cell("print(len(journal.entries))", noted=(trial,))
    assert seen.observation.output == "2\n", "the cell sees the entry"
    assert seen.journal_md is None, "the cell has added nothing"
    first, second = entries_of(manager)
    run = str(client.id)[:8]
    assert (first.intent, first.covers and first.covers.line()) == (
        "try 1",
        f"tokens 0 to 100 of run {run}, simulations 1 to 3",
    )
    assert (second.intent, second.result, second.film) == (
        "preview 2",
        "solved after 3 s",
        "# The film - 0.4 s: it rolls",
    )
    assert second.covers is not None
    assert second.covers.line() == f"tokens 100 to 200 of run {run}, simulation 4"


@pytest.mark.usefixtures("open_request")
async def test_entry_is_added_once_and_claimed_coverage_is_refused(
    client: RunClient, logged: LoggedClient, manager: SessionManager
) -> None:
    entry = noted(client, 1)
    await logged.complete_cell("x = 1", noted=(entry,))
    await logged.complete_cell("y = 1", noted=(entry,))
    assert len(entries_of(manager)) == 1
    text = "[journal][0]._file.write_text([journal][0]._file.read_text().replace('tokens 0 to 100', 'tokens 0 to 900'))"
    forged = await logged.run_cell(text)
    assert "entry J1 was changed" in forged.put_back[0]
    claimed = "\n" + entries_of(manager)[0].model_copy(update={"number": 2}).markdown()
    forged = await logged.run_cell(f"[journal][0]._file.open('a').write({claimed!r})")
    assert "the new entry J2 has a line `- Covers" in forged.put_back[0]


@pytest.mark.usefixtures("open_request")
async def test_document_spoilt_between_cells_is_restored_before_the_next_entry(
    client: RunClient, logged: LoggedClient, manager: SessionManager
) -> None:
    await logged.complete_cell(ADDS.format(1), noted=())
    await logged.complete_cell("x = 1", noted=(noted(client, 1, own=(1,)),))
    (session,) = manager.sessions
    (session.workspace.folder / "journal.md").write_text("# Journal\n")
    (session.workspace.folder / "todo.md").write_text("nothing to do")
    await logged.complete_cell("y = 1", noted=(noted(client, 2),))
    assert [entry.intent for entry in entries_of(manager)] == ["try 1", "preview 2"]
    assert (session.workspace.folder / "todo.md").read_text() == "# TODO\n\n- [ ] T1: build\n"


async def test_recovered_session_has_the_same_journal(  # noqa: PLR0917 - fixtures
    client: RunClient,
    logged: LoggedClient,
    manager: SessionManager,
    next_manager: SessionManager,
    open_request: SessionRequested,
    leases: WorkerLeases,
) -> None:
    await logged.complete_cell(f"x = 1\n{ADDS.format(1)}")
    await logged.complete_cell("y = 2", noted=(noted(client, 1, own=(1,)),))
    late = await logged.complete_cell(f"{ADDS.format(2)}\nwhile True:\n    pass", timeout_s=1.0)
    assert late.observation.status == "timeout"
    await logged.complete_cell("z = 3", noted=(noted(client, 2, own=(2,)),))
    await logged.complete_cell(f"import random\njournal.add(str(random.random()), 'a', 'b', 'c')\n{DIES}")
    await logged.complete_cell("todo.check('T1')", noted=(noted(client, 3, own=(3,)), noted(client, 4)))
    before, digests = entries_of(manager), file_digests(manager)
    assert [entry.covers is not None for entry in before] == [True] * 4
    await take_over(next_manager, open_request, leases)
    assert entries_of(next_manager) == before
    assert file_digests(next_manager) == digests
    await logged.complete_cell("w = 4")
    assert entries_of(next_manager) == before
