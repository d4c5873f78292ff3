"""One cell of a session, from its request to its outcome."""

import asyncio

from artifacts.port import ArtifactStore
from contracts.cell_limits import MAX_TOOL_CALLS
from contracts.envelope import answering
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef
from documents.completeness import JOURNAL
from pydantic import BaseModel

from kernel_host.producer import PRODUCER
from kernel_host.protocol import KernelCall
from kernel_host.sessions.session import Cell, Session
from kernel_host.sessions.tool_replies import ToolRecorder, completed
from kernel_host.sessions.workspace import FileProblem
from kernel_host.tools.cell_tools import CellTools


async def run_cell(
    request: CellRequested, session: Session, tools: CellTools, artifacts: ArtifactStore
) -> CellCompleted:
    """Run a cell in its session."""

    async def answer(call: KernelCall, ordinal: int) -> BaseModel:
        return await tools.answer(call, request, ordinal)

    recorder = ToolRecorder(answer, session.kind.summarize)
    tools.begin_cell(request)
    workspace = session.workspace
    journal_before = await asyncio.to_thread(workspace.read, JOURNAL)
    whole = completed(recorder.answer, session.kind.complete, artifacts, workspace.replace_read_only)
    outcome = await session.run(Cell.of(request), whole)
    await tools.images.add_all(outcome.images, outcome.images_left_out)
    observation = outcome.observation.model_copy(
        update={
            "images": tools.images.images,
            "images_refused": tools.images.refused,
            "images_left": tools.images.images_left,
            "tool_calls_left": MAX_TOOL_CALLS - recorder.calls,
            "full_output": await _stored_text(outcome.full_output, artifacts),
        }
    )
    ended = await tools.ended(observation, outcome, request)
    return CellCompleted(
        **answering(request, PRODUCER),
        observation=ended.observation,
        ending=ended.ending,
        files=ended.files,
        assessment=await tools.assessment(),
        answer=tools.accepted,
        tool_replies=await recorder.stored(artifacts),
        simulations=recorder.simulations,
        simulated_md=recorder.simulated_md,
        journal_md=await _added_to_journal(session, journal_before),
    )


async def _stored_text(text: str | None, artifacts: ArtifactStore) -> ArtifactRef | None:
    return None if text is None else await artifacts.put(text.encode(), "text/plain")


async def _added_to_journal(session: Session, before: FileProblem | str) -> str | None:
    """Return what the cell has added to the journal, which only grows."""
    after = await asyncio.to_thread(session.workspace.read, JOURNAL)
    if not isinstance(after, str) or after == before:
        return None
    return after.removeprefix(before) if isinstance(before, str) else after
