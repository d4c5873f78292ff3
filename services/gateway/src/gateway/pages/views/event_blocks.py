"""The blocks that a page shows of one event."""

from collections.abc import Iterator, Sequence
from functools import singledispatch

from contracts.envelope import Event
from contracts.event_format import texts_of
from contracts.events.conversation import JournalEntryAdded, ModelCalled
from contracts.events.design import DesignApproved, DesignInvalidated, DesignSimulated, DesignValidated
from contracts.events.rendering import RenderCompleted
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.session import CellCompleted
from contracts.events.simulation import FilmCompleted, SimulationCompleted
from contracts.models.simulation import Media
from run_report.account import Section
from run_report.blocks import Drawings, Figures, Prose, TextTable

from gateway.pages.views.blocks import (
    Block,
    ClipBlock,
    DrawingBlock,
    FactBlock,
    FindingBlock,
    GalleryBlock,
    PictureBlock,
    TableBlock,
    TextBlock,
    bill_blocks,
    result_blocks,
)


@singledispatch
def blocks_of(event: Event) -> list[Block]:
    """Return the blocks of an event: its texts, and for some more; none for what its line says completely."""
    return _texts(event)


def _texts(event: Event) -> list[Block]:
    return [TextBlock(each.heading, each.text, each.form) for each in texts_of(event)]


@blocks_of.register
def _(event: EngineeringRequested) -> list[Block]:
    variant, budget = event.assignment.variant, event.budget
    facts = [
        ("benchmark", f"{variant.benchmark}, seed {variant.seed}"),
        ("model", event.model),
        ("budget", f"{budget.max_steps} steps, {budget.deadline_s:g} s"),
    ]
    return [FactBlock(facts), *_texts(event)]


@blocks_of.register
def _(event: ModelCalled) -> list[Block]:
    usage = event.usage
    facts = [
        ("model", event.model),
        ("tokens", f"{usage.input_tokens} read, {usage.output_tokens} written"),
        ("time", f"{usage.duration_s:.1f} s"),
        ("cost", "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"),
    ]
    return [FactBlock(facts), *_texts(event)]


@blocks_of.register
def _(event: JournalEntryAdded) -> list[Block]:
    return [FactBlock([("about", event.about)]), *_texts(event)]


@blocks_of.register
def _(event: CellCompleted) -> list[Block]:
    return list(_observation_blocks(event))


def _observation_blocks(event: CellCompleted) -> Iterator[Block]:
    seen = event.observation
    yield FactBlock([("status", seen.status), ("time", f"{seen.elapsed_s:.1f} s")])
    if seen.error is not None:
        place = "" if seen.error.line is None else f", line {seen.error.line}"
        yield TextBlock(f"{seen.error.type}{place}", f"{seen.error.message}\n\n{seen.error.traceback}".strip(), "code")
    if seen.output:
        yield TextBlock("Output", seen.output, "code")
    for image in seen.images:
        yield PictureBlock(image.label, image.artifact)
    if seen.variables:
        rows = [(each.name, each.type, each.summary, each.change) for each in seen.variables]
        yield TableBlock("Variables", ("name", "type", "value", "change"), rows)
    if event.journal_md:
        yield TextBlock("Journal", event.journal_md)


@blocks_of.register
def _(event: SimulationCompleted) -> list[Block]:
    return result_blocks(event.result)


@blocks_of.register
def _(event: DesignValidated) -> list[Block]:
    return bill_blocks(event.bill)


@blocks_of.register
def _(event: DesignInvalidated) -> list[Block]:
    return [FindingBlock(event.findings)]


@blocks_of.register
def _(event: DesignSimulated) -> list[Block]:
    return [*result_blocks(event.result), *bill_blocks(event.bill)]


@blocks_of.register
def _(event: DesignApproved) -> list[Block]:
    return [*_texts(event), *result_blocks(event.result)]


@blocks_of.register
def _(event: FilmCompleted) -> list[Block]:
    frames = [PictureBlock(f"{each.time_s:.2f} s: {each.caption}", each.picture) for each in event.media.key_frames]
    return [*_film(event.media), *_texts(event), *frames]


@blocks_of.register
def _(event: RenderCompleted) -> list[Block]:
    return [PictureBlock("views", event.picture)]


@blocks_of.register
def _(event: RunSucceeded) -> list[Block]:
    media = event.delivery.media
    return [*([] if media is None else _film(media)), *result_blocks(event.result), *bill_blocks(event.bill)]


def section_blocks(sections: Sequence[Section]) -> list[Block]:
    """Return the blocks of what came of a run."""
    return [block for section in sections for block in _section(section)]


def _section(section: Section) -> list[Block]:
    match section:
        case Prose(markdown=text, title=title):
            return [TextBlock(title, text)]
        case TextTable(head=head, rows=rows, title=title):
            return [TableBlock(title, head, rows)]
        case Drawings(drawings=drawings, title=title):
            return [DrawingBlock(title, drawings)]
        case Figures(figures=figures, title=title):
            return [GalleryBlock(title, [PictureBlock(caption, ref) for ref, caption in figures])]


def _film(media: Media) -> list[Block]:
    """Return a film and, if it has one, its clip."""
    return [PictureBlock("film", media.video), *([] if media.clip is None else [ClipBlock(media.clip)])]
