"""`millwright journal RUN`."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from agent.journal.reader import OPEN_END, RoleJournal, UnknownEntryError, journal_of, read_page
from agent.journal.timeline import UnknownTokenRuleError
from contracts.envelope import Event, Role
from local_stack.errors import UserError
from local_stack.settings import read_settings
from rich.text import Text

from cli.entry import OK, run
from cli.run_record import whole_runs
from cli.screen import screen

from .conversation import OfRole, role_of
from .options import Run, run_id_of


class Depth(StrEnum):
    """How far an entry is opened."""

    SUMMARY = "summary"
    HEADINGS = "headings"
    TRANSCRIPT = "transcript"


OfEntry = Annotated[int | None, typer.Option(metavar="N", min=OPEN_END, help="One entry; 0: what was said since.")]
AtDepth = Annotated[Depth, typer.Option(help="What the entry says, its headings, or every word behind it.")]
Page = Annotated[int, typer.Option(min=1, help="Of what is long.")]


def journal(
    run_id: Run, role: OfRole = "engineer", entry: OfEntry = None, depth: AtDepth = Depth.SUMMARY, page: Page = 1
) -> None:
    """Tell what a role wrote down of a run and of the attempts before it, or open one of its entries."""
    run(_journal(run_id, role, entry, depth, page))


async def _journal(text: str, role_text: str, entry: int | None, depth: Depth, page: int) -> int:
    console, role = screen(), role_of(role_text)
    runs = await whole_runs(run_id_of(text), read_settings(), attempts=entry is None)
    try:
        lines = told(runs, role, depth) if entry is None else opened(runs[-1], role, entry, depth, page)
        for line in lines:
            console.print(Text(line), soft_wrap=True)
    except (UnknownEntryError, UnknownTokenRuleError) as error:
        raise UserError(str(error)) from error
    return OK


def told(runs: Sequence[Sequence[Event]], role: Role, depth: Depth) -> Iterator[str]:
    """Yield each entry of every attempt at this depth, its first page, and at the end what is not written about."""
    for number, events in enumerate(runs, start=1):
        if len(runs) > 1:
            yield f"## Attempt {number} of {len(runs)}, run {events[0].run_id}\n"
        own = journal_of(events, role)
        for chapter in own.sections:
            yield _page(own, chapter.entry.number if chapter.entry else OPEN_END, depth, 1)


def opened(events: Sequence[Event], role: Role, entry: int, depth: Depth, page: int) -> Iterator[str]:
    """Yield one page of one entry."""
    yield _page(journal_of(events, role), entry, depth, page)


def _page(own: RoleJournal, entry: int, depth: Depth, page: int) -> str:
    disclosed = read_page(own, entry, depth.value, page)
    if disclosed.pages == 1:
        return f"{disclosed.markdown}\n"
    more = f"page {disclosed.page} of {disclosed.pages}; --entry {entry} --depth {depth} --page N shows another"
    return f"{disclosed.markdown}\n\n({more})\n"
