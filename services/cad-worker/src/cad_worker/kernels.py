"""The kernels of cad-worker: for designs and their reviews, for questions, and for authors of benchmarks."""

from dataclasses import dataclass

from artifacts.port import ArtifactStore
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.events.question import QuestionSessionRequested
from contracts.events.session import SessionRequested
from kernel_host.kernels import ReadLog
from kernel_host.session_manager.earlier_sessions import as_it_began, earlier_events
from kernel_host.sessions.initial_files import initial_files
from kernel_host.sessions.session import Session
from kernel_host.sessions.session_history import OpeningRequest
from kernel_host.tools.cell_tools import Ask, CellTools
from question_kernel.kind import QUESTION_KERNEL
from question_kernel.setup import question_order, question_pictures
from question_kernel.tools import QuestionTools

from cad_worker.drafts.author_files import author_order, own_files, read_only_files
from cad_worker.drafts.author_tools import AuthorTools
from cad_worker.host import KernelHost
from cad_worker.kernel_kinds import AUTHOR_KERNEL, order_of
from cad_worker.session_setup import review_files, session_order, with_review
from cad_worker.tools.review_tools import ReviewTools
from cad_worker.tools.session_tools import SessionTools


@dataclass(frozen=True)
class WorkerKernels:
    """Implements `kernel_host.kernels.Kernels`."""

    host: KernelHost
    artifacts: ArtifactStore

    async def open(self, request: OpeningRequest) -> Session:
        """Open a session as requested; raise `KernelStartError` or `InvalidWorkspaceError`."""
        host, artifacts = self.host, self.artifacts
        if isinstance(request, QuestionSessionRequested):
            pictures = await question_pictures(request, artifacts)
            return await host.open_kernel(QUESTION_KERNEL, question_order(request), pictures, None)
        if isinstance(request, BenchmarkSessionRequested):
            files = read_only_files(request), own_files(request)
            return await host.open_kernel(AUTHOR_KERNEL, author_order(request), *files)
        order = await session_order(request.assignment, request.environment, artifacts)
        if request.reviewed is not None:
            order = await with_review(order, request.reviewed, artifacts)
            return await host.open_session(order, await review_files(request, artifacts), None)
        files = await initial_files(as_it_began(request, await earlier_events(request, artifacts)), artifacts)
        return await host.open_session(order, files.read_only, files.writable)

    async def review(self, session: Session, request: SessionRequested | BenchmarkSessionRequested) -> None:
        """Let an open session review another design or draft, in a new kernel; idempotent. Raises as `open` does."""
        if isinstance(request, BenchmarkSessionRequested):
            await session.restart(author_order(request), read_only_files(request), own_files(request))
            return
        assert request.reviewed is not None
        order = await with_review(order_of(session), request.reviewed, self.artifacts)
        await session.restart(order, await review_files(request, self.artifacts), None)

    def tools(self, request: OpeningRequest, session: Session, ask: Ask, read_log: ReadLog) -> CellTools:
        """Return what the session's cells may call."""
        if isinstance(request, QuestionSessionRequested):
            return QuestionTools(self.artifacts, ask, request)
        given = (self.host, self.artifacts, ask, session)
        if isinstance(request, BenchmarkSessionRequested):
            return AuthorTools(*given, request)
        return SessionTools(*given, request.executor) if request.reviewed is None else ReviewTools(*given, read_log)
