"""The blocks that a page shows of one event."""

from collections.abc import Iterator
from functools import singledispatch

from contracts.envelope import Event
from contracts.events.conversation import JournalEntryAdded, ModelCalled, ReplyRejected
from contracts.events.design import (
    DesignApproved,
    DesignInvalidated,
    DesignRejected,
    DesignSimulated,
    DesignValidated,
)
from contracts.events.plan import PlanApproved, PlanProposed, PlanRefused, PlanRejected, RefusalDenied, RefusalUpheld
from contracts.events.rendering import RenderCompleted
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, FileEditRequested, FileViewed, FileWriteRequested
from contracts.events.simulation import FilmCompleted, SimulationCompleted

from gateway.pages.views.blocks import (
    Block,
    FactBlock,
    FindingBlock,
    PictureBlock,
    TableBlock,
    TextBlock,
    bill_blocks,
    result_blocks,
)


@singledispatch
def blocks_of(event: Event) -> list[Block]:
    """Return the blocks of an event; none for what its line says completely."""
    del event
    return []


@blocks_of.register
def _(event: EngineeringRequested) -> list[Block]:
    variant, budget = event.assignment.variant, event.budget
    facts = [
        ("benchmark", f"{variant.benchmark}, seed {variant.seed}"),
        ("model", event.model),
        ("budget", f"{budget.max_steps} steps, {budget.deadline_s:g} s"),
    ]
    blocks: list[Block] = [FactBlock(facts), TextBlock("Task", variant.description)]
    return blocks if event.continues is None else [*blocks, TextBlock("Instruction", event.continues.says)]


@blocks_of.register
def _(event: PlanProposed) -> list[Block]:
    return [TextBlock("Plan", event.plan_md), TextBlock("TODO list", event.todo_md)]


@blocks_of.register(PlanApproved)
@blocks_of.register(PlanRejected)
@blocks_of.register(RefusalUpheld)
@blocks_of.register(RefusalDenied)
@blocks_of.register(DesignRejected)
def _(event: PlanApproved | PlanRejected | RefusalUpheld | RefusalDenied | DesignRejected) -> list[Block]:
    return [TextBlock("Review", event.review_md)]


@blocks_of.register
def _(event: PlanRefused) -> list[Block]:
    return [TextBlock("Proof", event.proof_md)]


@blocks_of.register
def _(event: ModelCalled) -> list[Block]:
    usage = event.usage
    cost = "unknown" if usage.cost_usd is None else f"{usage.cost_usd:.4f} USD"
    facts = [
        ("model", event.model),
        ("tokens", f"{usage.input_tokens} read, {usage.output_tokens} written"),
        ("time", f"{usage.duration_s:.1f} s"),
        ("cost", cost),
    ]
    blocks: list[Block] = [FactBlock(facts)]
    blocks += [TextBlock("Thought", each) for each in event.reply.reasoning]
    if event.reply.text:
        blocks.append(TextBlock("Reply", event.reply.text))
    blocks += [TextBlock(f"Calls {each.name}", each.arguments_json, "code") for each in event.reply.tool_calls]
    return blocks


@blocks_of.register
def _(event: ReplyRejected) -> list[Block]:
    return [TextBlock("Problem", event.problem)]


@blocks_of.register
def _(event: JournalEntryAdded) -> list[Block]:
    return [FactBlock([("about", event.about)]), TextBlock("Intent", event.intent), TextBlock("Result", event.result)]


@blocks_of.register
def _(event: CellRequested) -> list[Block]:
    facts = [("purpose", event.purpose), ("next goal", event.next_goal)]
    return [FactBlock([(name, text) for name, text in facts if text]), TextBlock("Code", event.code, "code")]


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
def _(event: FileWriteRequested) -> list[Block]:
    return [TextBlock(event.path, event.text, "code")]


@blocks_of.register
def _(event: FileEditRequested) -> list[Block]:
    return [
        TextBlock(f"{event.path}, before", event.old_text, "code"),
        TextBlock(f"{event.path}, after", event.new_text, "code"),
    ]


@blocks_of.register
def _(event: FileViewed) -> list[Block]:
    return [TextBlock(event.path, event.text, "code")]


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
    return [TextBlock("Review", event.review_md), *result_blocks(event.result)]


@blocks_of.register
def _(event: FilmCompleted) -> list[Block]:
    frames = [PictureBlock(f"{each.time_s:.2f} s: {each.caption}", each.picture) for each in event.media.key_frames]
    return [PictureBlock("film", event.media.video), TextBlock("Summary", event.summary_md), *frames]


@blocks_of.register
def _(event: RenderCompleted) -> list[Block]:
    return [PictureBlock("views", event.picture)]


@blocks_of.register
def _(event: RunSucceeded) -> list[Block]:
    media = event.delivery.media
    film = [] if media is None else [PictureBlock("film", media.video)]
    return [*film, *result_blocks(event.result), *bill_blocks(event.bill)]
