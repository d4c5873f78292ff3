"""`millwright journal RUN`."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import typer
from agent.journal.reader import OPEN_END, RoleJournal, UnknownEntryError, journal_of, read_page
from agent.journal.timeline import UnknownTokenRuleError
from contracts.envelope import Event, Role
from local_stack.errors import UserError
from local_stack.settings import read_settings
from rich.text import Text

from cli.entry import OK, run
from cli.log_access import load_runs
from cli.options import RoleName, Run, parse_role, parse_run_id
from cli.screen import output_console


class Depth(StrEnum):
    """How much of an entry is shown."""

    SUMMARY = "summary"
    HEADINGS = "headings"
    TRANSCRIPT = "transcript"


EntryNumber = Annotated[
    int | None, typer.Option(metavar="N", min=OPEN_END, help="Show one entry; 0: the messages after the last one.")
]
EntryDepth = Annotated[Depth, typer.Option(help="Show the entry's text, its headings, or the messages it covers.")]
Page = Annotated[int, typer.Option(min=1, help="Page of a long entry.")]


def journal(
    run_id: Run,
    role: RoleName = "engineer",
    entry: EntryNumber = None,
    depth: EntryDepth = Depth.SUMMARY,
    page: Page = 1,
) -> None:
    """Show a role's journal of a run and its earlier attempts, or one entry."""
    run(_journal(parse_run_id(run_id), parse_role(role), entry, depth, page))


async def _journal(run_id: UUID, role: Role, entry: int | None, depth: Depth, page: int) -> int:
    console = output_console()
    runs = await load_runs(run_id, read_settings(), with_attempts=entry is None)
    try:
        for each in all_entries(runs, role, depth) if entry is None else one_entry(runs[-1], role, entry, depth, page):
            console.print(Text(each), soft_wrap=True)
    except (UnknownEntryError, UnknownTokenRuleError) as error:
        raise UserError(str(error)) from error
    return OK


def all_entries(runs: Sequence[Sequence[Event]], role: Role, depth: Depth) -> Iterator[str]:
    """Yield the first page of each entry of every attempt, and at the end of what no entry covers."""
    for number, events in enumerate(runs, start=1):
        if len(runs) > 1:
            yield f"## Attempt {number} of {len(runs)}, run {events[0].run_id}\n"
        role_journal = journal_of(events, role)
        for chapter in role_journal.sections:
            yield _page(role_journal, chapter.entry.number if chapter.entry else OPEN_END, depth, 1)


def one_entry(events: Sequence[Event], role: Role, entry: int, depth: Depth, page: int) -> Iterator[str]:
    """Yield one page of one entry."""
    yield _page(journal_of(events, role), entry, depth, page)


def _page(role_journal: RoleJournal, entry: int, depth: Depth, page: int) -> str:
    opened = read_page(role_journal, entry, depth.value, page)
    if opened.pages == 1:
        return f"{opened.markdown}\n"
    more = f"page {opened.page} of {opened.pages}; --entry {entry} --depth {depth} --page N shows another"
    return f"{opened.markdown}\n\n({more})\n"
