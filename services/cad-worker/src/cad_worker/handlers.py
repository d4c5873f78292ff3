"""Handlers of cad-worker: from a request to its outcome. They use no bus and no database."""

import asyncio
import time

from artifacts.port import ArtifactStore, put_json
from contracts.cell_limits import MAX_TOOL_CALLS
from contracts.envelope import answering
from contracts.events.design import DesignInvalidated, DesignSubmitted, DesignValidated
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.events.run import EnvironmentBuilt, EnvironmentRefused, EnvironmentRequested
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import BenchmarkFiles, Environment, Variant
from contracts.models.observation import CellError, Observation
from contracts.models.submission import Refusal, Submission
from contracts.quotes import DrawnParts
from documents.completeness import JOURNAL
from documents.workspaces.archive import InvalidWorkspaceError
from pydantic import BaseModel
from sandbox.jobs import JobFailedError

from cad_worker.file_quotes import QuotedFile, quote_file
from cad_worker.host import KernelHost
from cad_worker.job_protocol import DIGEST, DesignData, EnvironmentBuild, EnvironmentFault, EnvironmentFiles
from cad_worker.session_protocol import KernelCall
from cad_worker.sessions.archives import pack
from cad_worker.sessions.journal_entries import ReadEntries
from cad_worker.sessions.session import Cell, CellOutcome, Session
from cad_worker.sessions.tool_replies import ToolRecorder, with_files
from cad_worker.sessions.workspace import FileProblem
from cad_worker.submissions import judge_submission, store_delivery, with_build_package
from cad_worker.submitted_documents import store_documents
from cad_worker.tools.session_tools import SessionTools, SubmissionRefusedError

PRODUCER = "cad-worker"
MAX_FINDINGS = 100
"""An event holds only so much, and an agent does not read more."""


async def build_environment(
    request: EnvironmentRequested, host: KernelHost, artifacts: ArtifactStore
) -> EnvironmentBuilt | EnvironmentRefused:
    """Run environment.py in a confined child and store what it built."""
    started = time.monotonic()
    build = await _built(request.assignment.variant, host, artifacts)
    if build.files is None:
        fault = build.fault or EnvironmentFault(reason="code_failed", detail="environment.py built nothing")
        return EnvironmentRefused(**answering(request, PRODUCER), reason=fault.reason, detail=fault.detail)
    environment = await _stored(build.files, artifacts)
    scene = await put_json(artifacts, build.files.scene)
    build_s = time.monotonic() - started
    return EnvironmentBuilt(**answering(request, PRODUCER), environment=environment, scene=scene, build_s=build_s)


async def _built(variant: Variant, host: KernelHost, artifacts: ArtifactStore) -> EnvironmentBuild:
    code = await artifacts.get(variant.environment_code)
    try:
        return await host.build_environment(code.decode(), variant)
    except UnicodeDecodeError as error:
        detail = f"environment.py is not UTF-8 text: {error}"
    except JobFailedError as error:
        detail = str(error)
    return EnvironmentBuild(fault=EnvironmentFault(reason="code_failed", detail=detail))


async def _stored(files: EnvironmentFiles, artifacts: ArtifactStore) -> Environment:
    return Environment(
        digest=files.geometry.digest,
        brep=await artifacts.put(files.geometry.brep, "application/vnd.opencascade.brep"),
        step=await artifacts.put(files.step, "model/step"),
        glb=await artifacts.put(files.glb, "model/gltf-binary"),
        solids=files.geometry.solids,
        mechanism=files.geometry.mechanism,
        payload_hull_mm=files.geometry.payload_hull_mm,
        more_payload_hulls_mm=files.geometry.more_payload_hulls_mm,
    )


async def quote_parts(request: QuoteRequested, host: KernelHost, artifacts: ArtifactStore) -> QuoteCompleted:
    """Judge and price the parts of a file that a user sent."""
    data = await artifacts.get(request.file)
    result = await quote_file(host, QuotedFile(name=request.name, data=data), request.choice, has_view=True)
    quote = result.quote
    return QuoteCompleted(
        **answering(request, PRODUCER),
        verdict=quote.verdict,
        parts=len(quote.parts),
        problem=quote.problem,
        quote=await put_json(artifacts, quote),
        shown=await put_json(artifacts, DrawnParts(parts=result.shown)),
    )


async def run_cell(
    request: CellRequested, session: Session, tools: SessionTools, host: KernelHost, artifacts: ArtifactStore
) -> CellCompleted:
    """Run a cell in its session. A submission is packed here, and its digest computed by a clean child."""

    async def answer(call: KernelCall, ordinal: int) -> BaseModel:
        return await tools.answer(call, request, ordinal)

    recorder = ToolRecorder(answer)
    tools.begin_cell(request)
    journal_before = await asyncio.to_thread(session.workspace.read, JOURNAL)
    outcome = await session.run(
        Cell.of(request), with_files(recorder.answer, artifacts, session.workspace.replace_read_only)
    )
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
    observation, ending = await _ended(observation, outcome, session, host, artifacts)
    observation, files = await _files(observation, outcome, tools, request)
    return CellCompleted(
        **answering(request, PRODUCER),
        observation=observation,
        ending=ending,
        files=files,
        assessment=await tools.assessment(),
        answer=tools.accepted,
        tool_replies=await recorder.stored(artifacts),
        simulations=recorder.simulations,
        simulated_md=recorder.simulated_md,
        journal_md=await _added_to_journal(session, journal_before),
    )


async def _stored_text(text: str | None, artifacts: ArtifactStore) -> ArtifactRef | None:
    return None if text is None else await artifacts.put(text.encode(), "text/plain")


async def _ended(
    observation: Observation, outcome: CellOutcome, session: Session, host: KernelHost, artifacts: ArtifactStore
) -> tuple[Observation, Submission | Refusal | None]:
    """Return the observation and the submission or refusal of a cell; one that failed has neither."""
    if observation.status != "ok":
        return observation, None
    if outcome.refusal is not None:
        return observation, Refusal(proof=outcome.refusal)
    if outcome.submitted is None:
        return observation, None
    try:
        return observation, await _submission(outcome.submitted, session, host, artifacts)
    except (JobFailedError, InvalidWorkspaceError) as problem:
        error = CellError(type="SubmissionFailed", message=f"nothing was submitted: {problem}")
        return observation.model_copy(update={"status": "error", "error": error}), None


async def _files(
    observation: Observation, outcome: CellOutcome, tools: SessionTools, request: CellRequested
) -> tuple[Observation, BenchmarkFiles | None]:
    """Return the observation and the benchmark's files that a cell has submitted; one that failed submits none."""
    if observation.status != "ok" or not outcome.submits_files:
        return observation, None
    try:
        return observation, await tools.submitted_files(request)
    except SubmissionRefusedError as refusal:
        error = CellError(type="SubmissionFailed", message=f"nothing was submitted: {refusal}")
        return observation.model_copy(update={"status": "error", "error": error}), None


async def _submission(design: DesignData, session: Session, host: KernelHost, artifacts: ArtifactStore) -> Submission:
    digest = (await host.run_job(DIGEST, design)).digest
    packed = await asyncio.to_thread(pack, session.workspace)
    return Submission(digest=digest, files=await artifacts.put(packed, "application/zip"))


async def _added_to_journal(session: Session, before: FileProblem | str) -> str | None:
    """Return what the cell has added to the journal, which only grows."""
    after = await asyncio.to_thread(session.workspace.read, JOURNAL)
    if not isinstance(after, str) or after == before:
        return None
    return after.removeprefix(before) if isinstance(before, str) else after


async def judge_design(
    request: DesignSubmitted, host: KernelHost, artifacts: ArtifactStore, read: ReadEntries
) -> DesignValidated | DesignInvalidated:
    """Run the submitted script again and judge the design that it builds, from data alone.

    `read` returns the journal entries that the request names.
    """
    entries = await read(request)
    verdict = await judge_submission(request, entries, host, artifacts)
    judgement = verdict.judgement
    if verdict.findings or judgement is None or judgement.scene is None or judgement.bill is None:
        seen = None if judgement is None else judgement.scene
        return DesignInvalidated(
            **answering(request, PRODUCER),
            findings=verdict.findings[:MAX_FINDINGS],
            bill=None if judgement is None else judgement.bill,
            limits=request.assignment.limits,
            scene=None if seen is None else await put_json(artifacts, seen),
        )
    scene, delivery = await store_delivery(request.submission, judgement, artifacts)
    delivery = await with_build_package(delivery, request, verdict, host, artifacts)
    documents = await store_documents(request.plan_md, verdict.documents, artifacts)
    return DesignValidated(
        **answering(request, PRODUCER),
        assignment=request.assignment,
        model=request.model,
        scene=scene,
        delivery=delivery.model_copy(update={"documents": documents}),
        bill=judgement.bill,
    )
