"""The tools of an author's kernel on the host's side: tests of worlds, pictures, and the submission of the files."""

import asyncio
import time

from artifacts.port import ArtifactStore
from contracts.envelope import during
from contracts.events.benchmark import (
    BenchmarkSessionRequested,
    BuiltWorld,
    CertificationCompleted,
    CertificationRequested,
    DraftFinding,
)
from contracts.events.session import CellRequested
from contracts.models.benchmark import BenchmarkFiles
from documents.completeness import completeness_findings
from kernel_host.protocol import KernelCall, RecallCall, RejectedCall
from kernel_host.sessions.document_checks import documents_of
from kernel_host.sessions.session import KernelStartError, Session
from kernel_host.tools.cell_tools import Ask
from pydantic import BaseModel
from sandbox.jobs import JobFailedError

from cad_worker.author_protocol import DraftCheckAnswer, DraftCheckCall, TestAnswer, TestCall
from cad_worker.drafts.author_files import texts_of
from cad_worker.drafts.worlds import MAX_FINDINGS, DraftWorlds
from cad_worker.host import KernelHost
from cad_worker.job_protocol import READ_DRAFT, DraftTexts, DraftVariants
from cad_worker.session_protocol import ShowShapesCall
from cad_worker.tools.session_tools import SessionTools, SubmissionRefusedError


class AuthorTools(SessionTools):
    """Answers the tool calls of an author's cells. What the kernel has built counts for nothing here."""

    def __init__(
        self, host: KernelHost, artifacts: ArtifactStore, ask: Ask, session: Session, request: BenchmarkSessionRequested
    ) -> None:
        super().__init__(host, artifacts, ask, session, "code")
        self._brief = request.brief
        self._is_review = request.reviewed is not None

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""
        if problem := self.job_time.problem():
            return RejectedCall(problem=problem)
        match call:
            case TestCall():
                return await self._test(call, cell, ordinal)
            case DraftCheckCall():
                _, faults = await self._examine(cell)
                return DraftCheckAnswer(faults=faults)
            case ShowShapesCall():
                return await self.render_tool.show_shapes(call, cell, ordinal)
            case RecallCall():
                return self.images.recall(call.picture)
            case _:
                return RejectedCall(problem="the kernel of an author tests worlds: call test()")

    async def submitted_files(self, cell: CellRequested) -> BenchmarkFiles:
        """Return the files that the cell has submitted, read and checked here; raise `SubmissionRefusedError`."""
        if self._is_review:
            raise SubmissionRefusedError("a kernel for a review submits nothing")
        files, faults = await self._examine(cell)
        if faults:
            raise SubmissionRefusedError("; ".join(faults))
        return files

    async def _examine(self, cell: CellRequested) -> tuple[BenchmarkFiles, tuple[str, ...]]:
        """Return the files, and what speaks against their submission."""
        files = await asyncio.to_thread(texts_of, self._session.workspace)
        documents = await asyncio.to_thread(documents_of, self._session.workspace)
        incomplete = await asyncio.to_thread(
            completeness_findings, documents, cell.run_id, self.trials.simulations, self._executor, in_cell=True
        )
        read = await self._read(files, tuple(range(self._brief.most_worlds)))
        return files, (*(finding.detail for finding in incomplete), *read.faults)

    async def _read(self, files: BenchmarkFiles, seeds: tuple[int, ...]) -> DraftVariants:
        texts = DraftTexts(files=files, level=self._brief.level, seeds=seeds)
        try:
            return await self._host.run_job(READ_DRAFT, texts, self.job_time.add)
        except JobFailedError as error:
            return DraftVariants(faults=(f"benchmark.yaml could not be read: {error}",))

    async def _test(self, call: TestCall, cell: CellRequested, ordinal: int) -> TestAnswer:
        """Build the worlds as those of a draft, and have physics certify them."""
        files = await asyncio.to_thread(texts_of, self._session.workspace)
        read = await self._read(files, call.seeds)
        if read.faults:
            return TestAnswer(problem="nothing was tested:\n" + "\n".join(f"- {fault}" for fault in read.faults))
        began_s = time.monotonic()
        try:
            built, findings = await self._build(DraftWorlds(files, read.limits, self._host, self._artifacts), read)
        except KernelStartError as error:
            return TestAnswer(problem=f"no kernel for witness.py could be started: {error}")
        self.job_time.add(time.monotonic() - began_s)
        certified = await self._certify(built, cell, ordinal) if built else TestAnswer()
        if not certified.problem:
            self.trials.add(cell.id)
        return certified.model_copy(update={"findings": (*findings, *certified.findings)})

    async def _build(
        self, draft: DraftWorlds, read: DraftVariants
    ) -> tuple[tuple[BuiltWorld, ...], tuple[DraftFinding, ...]]:
        worlds: list[BuiltWorld] = []
        findings: list[DraftFinding] = []
        for variant in read.variants:
            if len(findings) >= MAX_FINDINGS:
                break
            built = await draft.environment(variant)
            world = built if isinstance(built, DraftFinding) else await draft.world(variant, built)
            if isinstance(world, DraftFinding):
                findings.append(world)
            else:
                worlds.append(world)
        return tuple(worlds), tuple(findings)

    async def _certify(self, worlds: tuple[BuiltWorld, ...], cell: CellRequested, ordinal: int) -> TestAnswer:
        request = CertificationRequested(
            **during(cell, f"test {ordinal}", "cad-worker"), worlds=worlds, replicas=self._brief.replicas
        )
        match await self._ask(request):
            case CertificationCompleted(worlds=certified, findings=findings):
                return TestAnswer(worlds=certified, findings=findings)
            case _:
                return TestAnswer(problem="the simulator gave this request up; try again")
