"""The story of a run: for each event its line, and what models wrote, ran and saw in it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import cast

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected, ToolAnswered
from contracts.events.design import DesignApproved, DesignInvalidated, DesignRejected, DesignSimulated
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.run import EngineeringRequested
from contracts.events.session import CellCompleted, CellRequested, FileEditRequested, FileWriteRequested
from contracts.events.simulation import FilmCompleted, SimulationCompleted
from contracts.models.artifact import ArtifactRef
from contracts.models.observation import Observation
from contracts.text import shortened
from documents.event_lines import describe
from documents.event_lines.event_line import Severity
from documents.event_lines.text import one_line
from documents.observation import observation_markdown

from run_report.blocks import Block, Code, Pictures, Prose, ReplayLink, TextTable
from run_report.pictures import PictureAlbum

LINE_CHARS = 300
TEXT_CHARS = 40_000
"""Of one text; a report must open."""
OPEN_EVENTS = {"PlanProposed", "DesignApproved", "DesignRejected", "RunFailed"}
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
        return tuple([await self._step(event, events[0]) for event in events])

    async def _step(self, event: Event, first: Event) -> StoryStep:
        line = describe(event)
        blocks = [_bounded(block) for block in self.texts(event)]
        pictures = [await self._album.picture(ref, caption) for ref, caption in _pictures_of(event)]
        if any(pictures):
            blocks.append(Pictures(tuple(each for each in pictures if each is not None)))
        if str(event.id) in self._replayed:
            blocks.append(ReplayLink(str(event.id)))
        time_s = (event.occurred_at - first.occurred_at).total_seconds()
        return StoryStep(time_s, event.role, event.type, one_line(line.text, LINE_CHARS), line.severity, tuple(blocks))

    @singledispatchmethod
    def texts(self, _event: Event) -> tuple[Block, ...]:
        """Return the texts, code and tables of an event; most have only their line."""
        return ()

    @texts.register
    def _(self, event: EngineeringRequested) -> tuple[Block, ...]:
        return (Prose(event.assignment.variant.description, "task"),)

    @texts.register
    def _(self, event: PlanProposed) -> tuple[Block, ...]:
        return (Prose(event.plan_md), Prose(event.todo_md, "TODO list"))

    @texts.register
    def _(
        self, event: PlanApproved | PlanRejected | RefusalDenied | RefusalUpheld | DesignApproved | DesignRejected
    ) -> tuple[Block, ...]:
        return (Prose(event.review_md),)

    @texts.register
    def _(self, event: PlanRefused) -> tuple[Block, ...]:
        return (Prose(event.proof_md),)

    @texts.register
    def _(self, event: ModelCalled) -> tuple[Block, ...]:
        thoughts = "\n\n".join(filter(None, map(thought_of, event.reply.reasoning)))
        calls = [Code(f"{call.name}({call.arguments_json})", "tool call") for call in event.reply.tool_calls]
        prose = [Prose(thoughts, "thought")] if thoughts else []
        return (*prose, *([Prose(event.reply.text, "reply")] if event.reply.text else []), *calls)

    @texts.register
    def _(self, event: ReplyRejected) -> tuple[Block, ...]:
        return (Prose(event.problem),)

    @texts.register
    def _(self, event: ToolAnswered) -> tuple[Block, ...]:
        return (Code(event.arguments_json, event.tool), Prose(event.answer_md))

    @texts.register
    def _(self, event: CellRequested) -> tuple[Block, ...]:
        goal = [Prose(event.next_goal, "then")] if event.next_goal else []
        return (Prose(event.purpose), Code(event.code), *goal)

    @texts.register
    def _(self, event: CellCompleted) -> tuple[Block, ...]:
        without_images: Observation = event.observation.model_copy(update={"images": ()})
        return (Prose(observation_markdown(without_images)),)

    @texts.register
    def _(self, event: FileWriteRequested) -> tuple[Block, ...]:
        return (Code(event.text, event.path),)

    @texts.register
    def _(self, event: FileEditRequested) -> tuple[Block, ...]:
        return (Code(event.old_text, f"{event.path}, before"), Code(event.new_text, "after"))

    @texts.register
    def _(self, event: SimulationCompleted | DesignSimulated) -> tuple[Block, ...]:
        return (Prose(event.result.summary_md),)

    @texts.register
    def _(self, event: JournalEntryAdded) -> tuple[Block, ...]:
        fields = (event.intent, "intent"), (event.result, "result"), (event.reflection, "reflection")
        return tuple(Prose(text, title) for text, title in (*fields, (event.next_step, "next")) if text)

    @texts.register
    def _(self, event: DesignInvalidated) -> tuple[Block, ...]:
        rows = tuple((each.rule.replace("_", " "), each.label, each.severity, each.detail) for each in event.findings)
        return (TextTable(("rule", "part", "severity", "detail"), rows),)

    @texts.register
    def _(self, event: FilmCompleted) -> tuple[Block, ...]:
        return (Prose(event.summary_md),)


def thought_of(block: str) -> str:
    """Return the text of a provider's block of reasoning, which is JSON of several forms."""
    try:
        found: object = json.loads(block)
    except ValueError:
        return block
    return "\n\n".join(_texts_in(found))


def _texts_in(found: object) -> list[str]:
    """Return the texts of a block: under the names that providers use for them."""
    names = ("reasoning_content", "reasoning", "thinking", "text", "summary", "reasoning_details")
    if isinstance(found, str):
        return [found]
    if isinstance(found, list):
        return [text for each in cast("list[object]", found) for text in _texts_in(each)]
    if isinstance(found, dict):
        fields = cast("dict[str, object]", found)
        return [text for name in names if name in fields for text in _texts_in(fields[name])]
    return []


def _bounded(block: Block) -> Block:
    if isinstance(block, Prose):
        return Prose(shortened(block.markdown, TEXT_CHARS), block.title)
    return Code(shortened(block.text, TEXT_CHARS), block.title) if isinstance(block, Code) else block


def _pictures_of(event: Event) -> list[tuple[ArtifactRef, str]]:
    """Return the pictures that an event showed, with their captions."""
    if isinstance(event, CellCompleted):
        return [(image.artifact, image.label) for image in event.observation.images]
    if isinstance(event, FilmCompleted):
        media = event.media
        views = [] if media.views is None else [(media.views, "top, front and right")]
        return [(media.poster, "the whole run"), *views, *((each.picture, each.caption) for each in media.key_frames)]
    return []
