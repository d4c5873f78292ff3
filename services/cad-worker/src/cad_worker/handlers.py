"""From a request to its outcome. Knows no bus and no database."""

import asyncio
import time

from artifacts.port import ArtifactStore
from contracts.events.design import DesignInvalidated, DesignSubmitted, DesignValidated
from contracts.events.run import EnvironmentBuilt, EnvironmentRefused, EnvironmentRequested
from contracts.events.session import CellCompleted, CellRequested
from contracts.models.benchmark import Environment, Variant
from contracts.models.observation import CellError, Observation
from contracts.models.submission import Refusal, Submission
from pydantic import BaseModel
from sandbox.jobs import JobFailedError

from cad_worker.file_handlers import edit_file, view_file, write_file
from cad_worker.host import KernelHost
from cad_worker.job_protocol import DIGEST, DesignData, EnvironmentBuild, EnvironmentFault, EnvironmentFiles
from cad_worker.session_protocol import KernelCall
from cad_worker.sessions.cell import cell_of
from cad_worker.sessions.images import ImageStore
from cad_worker.sessions.session import MAX_TOOL_CALLS, Session
from cad_worker.sessions.tool_replies import ToolRecorder
from cad_worker.sessions.tools import SessionTools
from cad_worker.sessions.trajectories import with_trajectories
from cad_worker.sessions.workspace import FileProblem, UnfitWorkspaceError
from cad_worker.submissions import judge_submission, store_delivery

__all__ = ["build_environment", "edit_file", "judge_design", "run_cell", "view_file", "write_file"]

PRODUCER = "cad-worker"
JOURNAL = "journal.md"
MAX_FINDINGS = 100
"""Nobody reads more, and an event holds only so much."""


async def build_environment(
    request: EnvironmentRequested, host: KernelHost, artifacts: ArtifactStore
) -> EnvironmentBuilt | EnvironmentRefused:
    """Run environment.py in a confined child and keep what it built; `EnvironmentBuilt` or `EnvironmentRefused`."""
    started = time.monotonic()
    build = await _built(request.assignment.variant, host, artifacts)
    if build.files is None:
        fault = build.fault or EnvironmentFault(reason="code_failed", detail="environment.py built nothing")
        return EnvironmentRefused.answering(request, PRODUCER, reason=fault.reason, detail=fault.detail)
    environment = await _stored(build.files, artifacts)
    return EnvironmentBuilt.answering(request, PRODUCER, environment=environment, build_s=time.monotonic() - started)


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
    )


async def run_cell(
    request: CellRequested, session: Session, tools: SessionTools, host: KernelHost, artifacts: ArtifactStore
) -> CellCompleted:
    """Run a cell in its session; a submission is packed here, a digest computed where no agent code ever ran."""

    async def answer(wanted: KernelCall, ordinal: int) -> BaseModel:
        return await tools.answer(wanted, request, ordinal)

    recorder = ToolRecorder(answer)
    tools.images.begin_cell()
    journal_before = await asyncio.to_thread(session.workspace.read, JOURNAL)
    outcome = await session.run(cell_of(request), with_trajectories(recorder.answer, artifacts))
    await tools.images.add_all(outcome.images, outcome.images_left_out)
    observation = _with_pictures(outcome.observation, tools.images)
    left = MAX_TOOL_CALLS - recorder.calls
    observation = observation.model_copy(update={"tool_calls_left": left})
    if outcome.full_output is not None:
        full = await artifacts.put(outcome.full_output.encode(), "text/plain")
        observation = observation.model_copy(update={"full_output": full})
    ending: Submission | Refusal | None = None
    if observation.status == "ok" and outcome.refusal is not None:
        ending = Refusal(proof=outcome.refusal)
    elif observation.status == "ok" and outcome.submitted is not None:
        packed = await _submission(outcome.submitted, session, host, artifacts)
        if isinstance(packed, str):
            observation = _not_submitted(observation, packed)
        else:
            ending = packed
    return CellCompleted.answering(
        request,
        PRODUCER,
        observation=observation,
        ending=ending,
        tool_replies=await recorder.stored(artifacts),
        simulations=recorder.simulations,
        simulated_md=recorder.simulated_md,
        journal_md=await _added_to_journal(session, journal_before),
    )


async def _added_to_journal(session: Session, before: FileProblem | str) -> str | None:
    """Return what the cell wrote into the journal, which only grows."""
    after = await asyncio.to_thread(session.workspace.read, JOURNAL)
    if not isinstance(after, str) or after == before:
        return None
    return after.removeprefix(before) if isinstance(before, str) else after


def _with_pictures(observation: Observation, album: ImageStore) -> Observation:
    shown = {"images": album.images, "images_refused": album.refused, "images_left": album.images_left}
    return observation.model_copy(update=shown)


async def _submission(
    design: DesignData, session: Session, host: KernelHost, artifacts: ArtifactStore
) -> Submission | str:
    """Return the submission, or why there can be none."""
    try:
        digest = (await host.run_job(DIGEST, design)).digest
        files = await artifacts.put(session.workspace.pack(), "application/zip")
    except (JobFailedError, UnfitWorkspaceError) as error:
        return str(error)
    return Submission(digest=digest, files=files)


def _not_submitted(observation: Observation, why: str) -> Observation:
    error = CellError(type="SubmissionFailed", message=f"nothing was submitted: {why}")
    return observation.model_copy(update={"status": "error", "error": error})


async def judge_design(
    request: DesignSubmitted, host: KernelHost, artifacts: ArtifactStore
) -> DesignValidated | DesignInvalidated:
    """Build the submitted script anew and judge what comes out, from data alone."""
    verdict = await judge_submission(request, host, artifacts)
    judgement = verdict.judgement
    if verdict.findings or judgement is None or judgement.scene is None or judgement.bill is None:
        return DesignInvalidated.answering(
            request,
            PRODUCER,
            findings=verdict.findings[:MAX_FINDINGS],
            bill=None if judgement is None else judgement.bill,
            limits=request.assignment.limits,
        )
    scene, delivery = await store_delivery(request.submission, judgement, artifacts)
    return DesignValidated.answering(
        request,
        PRODUCER,
        assignment=request.assignment,
        model=request.model,
        scene=scene,
        delivery=delivery,
        bill=judgement.bill,
    )
