"""Handlers of cad-worker: from a request to its outcome. They use no bus and no database."""

import time

from artifacts.port import ArtifactStore, put_json
from contracts.envelope import answering
from contracts.events.design import DesignInvalidated, DesignSubmitted, DesignValidated
from contracts.events.quote import QuoteCompleted, QuoteRequested
from contracts.events.run import EnvironmentBuilt, EnvironmentRefused, EnvironmentRequested
from contracts.models.benchmark import Environment, Variant
from contracts.quotes import DrawnParts
from kernel_host.producer import PRODUCER
from kernel_host.sessions.journal_entries import ReadEntries
from sandbox.jobs import JobFailedError

from cad_worker.file_quotes import QuotedFile, quote_file
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentBuild, EnvironmentFault, EnvironmentFiles
from cad_worker.submissions import judge_submission, store_delivery, with_build_package
from cad_worker.submitted_documents import store_documents

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
