"""The tools of a critic's kernel: it simulates and shows the submitted scene, and the host counts the replicas."""

from collections.abc import Awaitable, Callable, Sequence

from artifacts.port import ArtifactStore
from contracts.envelope import Event, during
from contracts.events.session import CellRequested
from contracts.events.simulation import SimulationCompleted, SimulationRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.assessment import Assessment, AssessmentRecord, Rerun
from kernel.api.reviews.reruns import MAX_RERUNS
from kernel.runtime.fingerprints import Fingerprinter
from kernel_host.protocol import KernelCall, RejectedCall
from kernel_host.sessions.session import Session
from kernel_host.tools.cell_tools import Ask
from pydantic import BaseModel

from cad_worker.host import KernelHost
from cad_worker.kernel_kinds import order_of
from cad_worker.session_protocol import (
    AssessAnswer,
    AssessCall,
    FilmQuestionCall,
    RerunCall,
    ReviewOrder,
    ShowResultCall,
    ShowShapesCall,
    SimulationAnswer,
)
from cad_worker.tools.film_questions import FilmQuestions
from cad_worker.tools.session_tools import SessionTools, simulation_answer


class ReviewTools(SessionTools):
    """Answers the tool calls of a critic's cells, which can only simulate, count and show the submitted scene."""

    def __init__(
        self,
        host: KernelHost,
        artifacts: ArtifactStore,
        ask: Ask,
        session: Session,
        read_log: Callable[[], Awaitable[Sequence[Event]]],
    ) -> None:
        super().__init__(host, artifacts, ask, session)
        self._read_log = read_log
        self._film_questions = FilmQuestions(artifacts, ask, read_log)
        self._reruns: dict[str, list[Rerun]] = {}
        """By digest of the scene; a scene's are read from the log once, and those that follow are added."""

    async def answer(self, call: KernelCall, cell: CellRequested, ordinal: int) -> BaseModel:
        """Answer the `ordinal`-th tool call of `cell`."""
        if problem := self.job_time.problem():
            return RejectedCall(problem=problem)
        match call:
            case RerunCall():
                answer = self._rerun(call, cell, ordinal)
            case AssessCall():
                return AssessAnswer(assessment=(await self.assessment()).assessment)
            case FilmQuestionCall():
                answer = self._film_questions.answer(call, self._review, cell, ordinal)
            case ShowShapesCall():
                answer = self.render_tool.show_shapes(call, cell, ordinal)
            case ShowResultCall():
                review = self._review
                self.render_tool.add_scene(review.result.trajectory_digest, review.scene_ref)
                answer = self.render_tool.show_result(call, cell, ordinal)
            case _:
                return RejectedCall(problem="a review only looks: nothing is priced, made or submitted here")
        return await answer

    async def assessment(self) -> AssessmentRecord:
        """Return the count of all reruns that the event log has of this review's scene.

        No object of the kernel is read, so that each worker that serves the session counts the same.
        """
        assessment = Assessment.of(await self._known_reruns(), order_of(self._session).assignment.variant.seed)
        fingerprint, _ = Fingerprinter(lambda _: None).fingerprint(assessment)
        return AssessmentRecord(assessment=assessment, fingerprint=fingerprint)

    @property
    def _review(self) -> ReviewOrder:
        review = order_of(self._session).review
        assert review is not None
        return review

    async def _rerun(self, call: RerunCall, cell: CellRequested, ordinal: int) -> SimulationAnswer:
        known = await self._known_reruns()
        if len(known) >= MAX_RERUNS:
            return SimulationAnswer(problem=f"{MAX_RERUNS} reruns are enough; judge by their results")
        request = SimulationRequested(
            **during(cell, f"simulate {ordinal}", "cad-worker"),
            scene=self._review.scene_ref,
            replicas=call.replicas,
            seed=call.seed,
        )
        outcome = await self._ask(request)
        asked = request.model_copy(update={"id": outcome.causation_id})  # another id if the cell asked something else
        known += logged_reruns((asked, outcome), self._review.scene_ref)
        return simulation_answer(outcome)

    async def _known_reruns(self) -> list[Rerun]:
        scene = self._review.scene_ref
        if scene.sha256 not in self._reruns:
            self._reruns[scene.sha256] = logged_reruns(await self._read_log(), scene)
        return self._reruns[scene.sha256]


def logged_reruns(events: Sequence[Event], scene: ArtifactRef) -> list[Rerun]:
    """Return the simulations of a scene that a critic has requested and that were completed, in order."""
    seeds = {
        event.id: event.seed
        for event in events
        if isinstance(event, SimulationRequested) and event.role == "critic" and event.scene == scene
    }
    completed = [event for event in events if isinstance(event, SimulationCompleted)]
    return [
        Rerun(seed=seeds[event.causation_id], endings=tuple(each.ending for each in event.result.replicas))
        for event in completed
        if event.causation_id is not None and event.causation_id in seeds
    ]
