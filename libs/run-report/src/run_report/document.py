"""The report as one HTML document that opens from disk and asks no server for anything."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.envelope import Event
from markupsafe import Markup
from pydantic import TypeAdapter
from viewer.files import CODE_STYLE, SCRIPT, STYLE, text_of
from viewer.markup import code_html
from viewer.script_parts import lines_of_parts

from run_report.account import RunAccount, Section
from run_report.accounts import account_of
from run_report.blocks import Block, Figures
from run_report.budget import REPORT_BYTES, FileRoom
from run_report.page_shell import PageShell, own_text, page_templates
from run_report.pictures import PictureAlbum
from run_report.replays import PackedReplay, PackedReplays, ReplayPacker, simulations_of
from run_report.story import StoryStep, StoryWriter
from run_report.tables import LoadRow, PartRow, load_rows, part_rows

TEXTS_BYTES = 1_800_000
"""Kept for story, tables and templates; texts of a run are cut long before."""
REPLAYS_BYTES = 1_300_000
_REPLAYS = TypeAdapter(list[tuple[PackedReplay, ...]])


@dataclass(frozen=True)
class RunChapter:
    """Everything that a report has of one run."""

    account: RunAccount
    sections: tuple[Block, ...]
    replays: PackedReplays
    parts: list[PartRow]
    loads: list[LoadRow]
    script: Markup
    story: tuple[StoryStep, ...]
    left_out: dict[str, int]


async def report_html(events: Sequence[Event], artifacts: ArtifactStore) -> str:
    """Return the report of a run; raise `NotReportableError`. Texts of the events must be restored."""
    return _page("report.html", [await _chapter(account_of(events), artifacts, 1)])


async def comparison_html(first: Sequence[Event], second: Sequence[Event], artifacts: ArtifactStore) -> str:
    """Return a report of two runs, or of two attempts of one, side by side; as `report_html`."""
    accounts = [account_of(events) for events in (first, second)]
    return _page("comparison.html", [await _chapter(account, artifacts, len(accounts)) for account in accounts])


async def _chapter(account: RunAccount, artifacts: ArtifactStore, chapters: int) -> RunChapter:
    room = REPORT_BYTES - TEXTS_BYTES - sum(len(text_of(path).encode()) for path in (SCRIPT, STYLE, CODE_STYLE))
    replays_room = FileRoom(REPLAYS_BYTES // chapters)
    replays = await ReplayPacker(artifacts, replays_room).pack(simulations_of(account.events))
    left = room // chapters - sum(map(len, replays.packed.values()))
    figures_room = FileRoom(left // 2)
    album = PictureAlbum(artifacts, figures_room)
    sections = tuple([await _section(each, album) for each in account.sections])
    album.room = FileRoom(left - left // 2 + figures_room.left)  # what steps showed has room beside many figures
    replayed = frozenset(replay.id for replay in replays.replays)
    story = await StoryWriter(album, replayed).steps(account.events)
    shown = replays.replays[0].parts if replays.replays else ()
    lines = lines_of_parts(account.script, [part.label for part in shown])
    return RunChapter(
        account=account,
        sections=sections,
        replays=replays,
        parts=part_rows(account.bill, shown),
        loads=load_rows(account.result),
        script=code_html(account.script, lines) if account.script else Markup(""),
        story=story,
        left_out=dict(Counter(replays_room.left_out) + Counter(figures_room.left_out) + Counter(album.room.left_out)),
    )


async def _section(section: Section, album: PictureAlbum) -> Block:
    """Return a section that needs no store. Films do not fit into a report: the replay has their course."""
    if not isinstance(section, Figures):
        return section
    stills = [(ref, caption) for ref, caption in section.figures if ref.media_type.startswith("image/")]
    return await album.embed(stills, section.title)


def _page(template: str, chapters: list[RunChapter]) -> str:
    has_views = any(chapter.replays.replays for chapter in chapters)
    scripts = [*([text_of(SCRIPT)] if has_views else []), own_text("report.js")]
    return (
        page_templates()
        .get_template(template)
        .render(
            shell=PageShell.of(scripts, [text_of(STYLE), text_of(CODE_STYLE), own_text("report.css")]),
            chapters=chapters,
            packed={name: text for chapter in chapters for name, text in chapter.replays.packed.items()},
            replays=Markup(_json([chapter.replays.replays for chapter in chapters])),  # noqa: S704 - escaped below
        )
    )


def _json(replays: list[tuple[PackedReplay, ...]]) -> str:
    """Return JSON that can be within a page: the only characters that matter there are escaped."""
    text = _REPLAYS.dump_json(replays).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
