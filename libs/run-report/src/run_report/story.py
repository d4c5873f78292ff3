"""The story of a run: for each event its line, and what models wrote, ran and saw in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from contracts.envelope import Event
from contracts.event_format import texts_of
from contracts.event_line import Severity
from contracts.events.benchmark import BenchmarkPublished, DraftRefused
from contracts.events.design import DesignInvalidated, DesignSimulated
from contracts.events.session import CellCompleted
from contracts.events.simulation import FilmCompleted, SimulationCompleted
from contracts.models.artifact import ArtifactRef
from contracts.models.observation import Observation
from contracts.text import one_line, shortened
from documents.observation import observation_markdown

from run_report.blocks import Block, Code, Prose, ReplayLink, TextTable
from run_report.generation import REFUSAL_COLUMNS, WORLD_COLUMNS, world_rows
from run_report.pictures import PictureAlbum
from run_report.solution import FINDING_COLUMNS

LINE_CHARS = 300
TEXT_CHARS, TEXTS_CHARS, FEWEST_CHARS = 40_000, 300_000, 200
"""Of one text, of all together, and of one if there are very many; a report must open."""
OPEN_EVENTS = {
    *("PlanProposed", "DesignApproved", "DesignRejected", "RunFailed"),
    *("DraftRefused", "DraftRejected", "BenchmarkPublished"),
}
"""Events whose account is open from the beginning."""


@dataclass(frozen=True)
class StoryStep:
    """One event of the story."""

    time_s: float
    role: str
    type: str
    line: str
    severity: Severity
    blocks: tuple[Block, ...]

    @property
    def is_open(self) -> bool:
        """Whether its account is shown from the beginning."""
        return self.type in OPEN_EVENTS


class StoryWriter:
    """Turns events into steps."""

    def __init__(self, album: PictureAlbum, replayed: frozenset[str]) -> None:
        self._album, self._replayed = album, replayed

    async def steps(self, events: Sequence[Event]) -> tuple[StoryStep, ...]:
        """Return a step for each event, in order."""
        written = [_blocks_of(event) for event in events]
        chars = _most_chars(written)
        pairs = zip(events, written, strict=True)
        return tuple([await self._step(event, events[0], blocks, chars) for event, blocks in pairs])

    async def _step(self, event: Event, first: Event, written: Sequence[Block], chars: int) -> StoryStep:
        line = event.line()
        blocks = [_bounded(block, chars) for block in written]
        figures = _figures_of(event)
        if figures:
            blocks.append(await self._album.embed(figures))
        if str(event.id) in self._replayed:
            blocks.append(ReplayLink(str(event.id)))
        time_s = (event.occurred_at - first.occurred_at).total_seconds()
        return StoryStep(time_s, event.role, event.type, one_line(line.text, LINE_CHARS), line.severity, tuple(blocks))


@singledispatch
def _blocks_of(event: Event) -> list[Block]:
    """Return the texts, code and tables of an event; most have only their line."""
    return [
        Code(each.text, each.title) if each.form == "code" else Prose(each.text, each.heading)
        for each in texts_of(event)
    ]


@_blocks_of.register
def _(event: CellCompleted) -> list[Block]:
    without_images: Observation = event.observation.model_copy(update={"images": ()})
    return [Prose(observation_markdown(without_images))]


@_blocks_of.register(SimulationCompleted)
@_blocks_of.register(DesignSimulated)
def _(event: SimulationCompleted | DesignSimulated) -> list[Block]:
    return [Prose(event.result.summary_md)]


@_blocks_of.register
def _(event: DesignInvalidated) -> list[Block]:
    rows = tuple((each.rule.replace("_", " "), each.label, each.severity, each.detail) for each in event.findings)
    return [TextTable(FINDING_COLUMNS, rows)]


@_blocks_of.register
def _(event: DraftRefused) -> list[Block]:
    rows = tuple((each.stage, str(each.seed), each.detail) for each in event.findings)
    return [TextTable(REFUSAL_COLUMNS, rows)]


@_blocks_of.register
def _(event: BenchmarkPublished) -> list[Block]:
    return [Prose(event.plan_md, "Plan"), TextTable(WORLD_COLUMNS, world_rows(event.worlds))]


def _most_chars(written: Sequence[Sequence[Block]]) -> int:
    """Return how much of each text is kept, so that all together are short enough."""
    lengths = [len(_text_of(block)) for blocks in written for block in blocks]
    chars = TEXT_CHARS
    while chars > FEWEST_CHARS and sum(min(length, chars) for length in lengths) > TEXTS_CHARS:
        chars //= 2
    return chars


def _text_of(block: Block) -> str:
    match block:
        case Prose(markdown=text) | Code(text=text):
            return text
        case _:
            return ""


def _bounded(block: Block, chars: int) -> Block:
    if isinstance(block, Prose):
        return Prose(shortened(block.markdown, chars - chars // 4, chars // 4), block.title)
    if isinstance(block, Code):
        return Code(shortened(block.text, chars - chars // 4, chars // 4), block.title)
    return block


def _figures_of(event: Event) -> list[tuple[ArtifactRef, str]]:
    """Return the pictures that an event showed, with their captions."""
    if isinstance(event, CellCompleted):
        return [(image.artifact, image.label) for image in event.observation.images]
    if isinstance(event, FilmCompleted):
        media = event.media
        views = [] if media.views is None else [(media.views, "top, front and right")]
        return [(media.poster, "the whole run"), *views, *((each.picture, each.caption) for each in media.key_frames)]
    return []
