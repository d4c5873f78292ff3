"""Submissions: the script runs again in a fresh kernel, and a clean child judges the geometry that it builds."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zipfile import BadZipFile

from artifacts.port import ArtifactStore, put_json, put_steps
from contracts.events.conversation import JournalEntryAdded
from contracts.events.design import DesignSubmitted
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment
from contracts.models.design import Delivery, Finding
from contracts.models.observation import Observation
from contracts.models.submission import Submission
from contracts.text import shortened, storable
from design_rules.design_data import DesignData, DesignRequest
from documents.completeness import completeness_findings
from documents.workspaces.archive import InvalidWorkspaceError, unpack
from kernel_host.sessions.session import KernelStartError
from sandbox.jobs import JobFailedError

from cad_worker.host import PROBLEM_CHARS, KernelHost, ScriptOutcome
from cad_worker.job_protocol import BUILD, DIGEST, JUDGE, BuildRequest, Judgement
from cad_worker.session_protocol import SessionOrder
from cad_worker.session_setup import session_order
from cad_worker.submitted_documents import submitted_documents

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SubmissionVerdict:
    """All findings, and the judgement of the geometry if the script built any."""

    findings: tuple[Finding, ...]
    judgement: Judgement | None = None
    design: DesignData | None = None
    """What was judged."""
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    """TODO list and journal as they are delivered, by path."""


async def judge_submission(
    request: DesignSubmitted, entries: Sequence[JournalEntryAdded], host: KernelHost, artifacts: ArtifactStore
) -> SubmissionVerdict:
    """Check the submitted documents, then run the submitted script and judge its design.

    It is judged in the environment as the benchmark built it. `entries` are not in the submitted journal yet.
    """
    order = await session_order(request.assignment, request.environment, artifacts)
    try:
        files = await asyncio.to_thread(unpack, await artifacts.get(request.submission.files))
        documents = await asyncio.to_thread(submitted_documents, files, entries)
        given = (documents, request.run_id, request.simulations, request.executor)
        incomplete = await asyncio.to_thread(completeness_findings, *given)
        if incomplete:
            return SubmissionVerdict(incomplete)
        judged = await judge_script(files, order, host)
    except (BadZipFile, InvalidWorkspaceError, KernelStartError) as error:
        return SubmissionVerdict((_script_failed(f"the submitted files cannot be used: {error}"),))
    if judged.judgement is None:
        return SubmissionVerdict(judged.findings)
    differences = _differences(request.submission, judged.judgement)
    return SubmissionVerdict((*differences, *judged.findings), judged.judgement, judged.design, documents)


@dataclass(frozen=True)
class ScriptVerdict:
    """All findings of a script and of the design that it builds."""

    findings: tuple[Finding, ...]
    observation: Observation
    judgement: Judgement | None = None
    """None: the script failed, or its geometry cannot be examined."""
    design: DesignData | None = None
    """What was judged."""


async def judge_script(files: Mapping[str, str], order: SessionOrder, host: KernelHost) -> ScriptVerdict:
    """Run script.py of `files` in a fresh kernel and judge its design; raise `KernelStartError`."""
    outcome = await host.run_script(files, order)
    if outcome.design is None:
        return ScriptVerdict((_script_failed(_reason(outcome.observation)),), outcome.observation)
    design = DesignRequest(design=outcome.design, environment=order.environment, assignment=order.assignment)
    try:
        judgement = await host.examine(JUDGE, design)
        changes = await _changes_of_environment(outcome, host)
    except JobFailedError as error:
        finding = Finding(rule="not_a_part", detail=f"the geometry cannot be examined; build it differently: {error}")
        return ScriptVerdict((finding,), outcome.observation)
    return ScriptVerdict((*changes, *judgement.findings), outcome.observation, judgement, outcome.design)


async def store_delivery(
    submission: Submission, judgement: Judgement, artifacts: ArtifactStore
) -> tuple[ArtifactRef, Delivery]:
    """Store scene and files of an accepted design."""
    assert judgement.scene is not None
    scene = await put_json(artifacts, judgement.scene)
    delivery = Delivery(
        script=submission.files,
        digest=judgement.digest,
        step=await artifacts.put(judgement.step, "model/step"),
        part_steps=await put_steps(artifacts, judgement.part_steps),
        glb=await artifacts.put(judgement.glb, "model/gltf-binary"),
        scene=scene,
    )
    return scene, delivery


async def with_build_package(
    delivery: Delivery, request: DesignSubmitted, verdict: SubmissionVerdict, host: KernelHost, artifacts: ArtifactStore
) -> Delivery:
    """Return a delivery with its build package, or with the reason why it has none."""
    assert verdict.judgement is not None
    assert verdict.design is not None
    order = build_order(request.assignment, str(request.run_id), verdict.design, verdict.judgement)
    try:
        files = await host.run_job(BUILD, order)
    except JobFailedError as error:
        _log.error("the build package of %s failed: %s", request.run_id, error)
        return delivery.model_copy(update={"build_problem": shortened(storable(str(error)), PROBLEM_CHARS)})
    return delivery.model_copy(update={"build": await artifacts.put(files.zip, "application/zip")})


def build_order(assignment: Assignment, run: str, design: DesignData, judgement: Judgement) -> BuildRequest:
    """Return the order for the build package of a design that was judged without findings."""
    assert judgement.bill is not None
    assert judgement.scene is not None
    return BuildRequest(
        title=f"{assignment.variant.benchmark}, seed {assignment.variant.seed}",
        run=run,
        design=design,
        bill=judgement.bill,
        scene=judgement.scene,
        assembly=judgement.assembly,
        tooth_meshes=judgement.tooth_meshes,
        part_steps=judgement.part_steps,
    )


async def _changes_of_environment(outcome: ScriptOutcome, host: KernelHost) -> tuple[Finding, ...]:
    """Compare the environment in the script's kernel before and after it ran."""
    before = (await host.run_job(DIGEST, outcome.environment_before)).digest
    after = None
    if outcome.environment_after is not None:
        after = (await host.run_job(DIGEST, outcome.environment_after)).digest
    if before == after:
        return ()
    detail = "the script moved or changed the environment; it is read-only: copy what you need and place your own parts"
    return (Finding(rule="environment_changed", detail=detail),)


def _differences(submission: Submission, judgement: Judgement) -> tuple[Finding, ...]:
    if judgement.digest == submission.digest:
        return ()
    detail = (
        f"script.py builds a design with digest {judgement.digest[:12]}, submitted was {submission.digest[:12]}; "
        "write everything the design needs into script.py and submit what `from script import assembly` gives"
    )
    return (Finding(rule="digest_differs", detail=detail),)


def _script_failed(detail: str) -> Finding:
    return Finding(rule="script_failed", detail=detail)


def _reason(observation: Observation) -> str:
    error = observation.error
    if error is None:
        return "script.py ended without an `assembly`; bind one, a build123d Compound of labelled parts"
    return f"script.py failed in a fresh kernel with {error.type}: {error.message}\n{error.traceback}".strip()
