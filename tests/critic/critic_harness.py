"""A critic on a bus in memory, and the events that it consumes."""

import json
from typing import Any

from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel, Vision
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.benchmark import BenchmarkSessionRequested, DraftCertified
from contracts.events.design import DesignSimulated
from contracts.events.plan import Citation, PlanProposed, PlanRefused
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.assessment import AssessmentRecord
from contracts.models.benchmark import Limits
from contracts.models.design import Delivery
from contracts.models.observation import Observation, Variable
from contracts.models.simulation import Media, SimulationResult
from critic.policy import Critic
from langchain_core.messages import AIMessage

from tests.agent.role_harness import RoleHarness, engineering_requested, threads_of
from tests.contracts import example_values as values

STABLE = values.RESULT
CELL = (
    "## Purpose\n\nRun again\n\n## Reasoning\n\nOne run is none.\n\n## Next goal\n\nJudge.\n\n"
    "## Code\n\n```python\nx = 1\n```"
)
APPROVES = "VERDICT: APPROVE\n\n## Reasons\n\n- it holds\n\n## Evidence\n\n- `stability`: 30 of 30\n- shares"
REJECTS = "VERDICT: REJECT\n\n## Reasons\n\n- 8 of 30 leave at x=120\n\n## Evidence\n\n- none"
STABILITY = Variable(name="stability", type="Assessment", summary="stable: 30 of 30", change="new", fingerprint="ab12")
COUNTED = AssessmentRecord(assessment=values.ASSESSMENT, fingerprint=STABILITY.fingerprint)
SHARES = Variable(name="shares", type="dict", summary="3 items", change="new", fingerprint="cd34")


def filmed(request: FilmRequested, media: Media | None) -> FilmCompleted | FilmFailed:
    """Return the outcome of a film: its media, or a failure without them."""
    if media is None:
        return FilmFailed(**answering(request, "sim-worker"), reason="ran_differently", detail="other digest")
    return FilmCompleted(**answering(request, "sim-worker"), summary_md="SOLVED", media=media)


class CriticHarness:
    """The critic's thread of one run."""

    def __init__(
        self, *script: str | AIMessage, vision: Vision | None = None, is_offline: bool = False, films: bool = False
    ) -> None:
        """`films`: the critic counts its model as one that sees pictures."""
        self.run = engineering_requested()
        artifacts = FakeArtifacts() if vision is None or vision.artifacts is None else vision.artifacts
        critic = Critic(artifacts, lambda _: films)
        self.role = RoleHarness(critic, script, vision=vision)
        if is_offline:
            self.role.bus = FakeBus()
            self.role.threads = threads_of(critic, RoleModel(lambda _: offline_chat()), self.role.bus)
        self._number = 0

    async def consume(self, event: Event) -> Event:
        """Advance the critic by an event and return its only decision."""
        (decided,) = await self.role.consume(event)
        return decided

    def propose_plan(self, **changes: Any) -> PlanProposed:
        """Return a plan to review."""
        fields: dict[str, Any] = {
            "assignment": self.run.assignment,
            "budget": self.run.budget,
            "model": "scripted",
            "environment": values.ENVIRONMENT,
            "plan_md": "# Plan\n\nA slope of 8 degrees round the wall.\n",
            "todo_md": "# TODO\n\n- [ ] T1: Route\n- [ ] T2: Simulate\n- [ ] T3: Submit\n",
            **changes,
        }
        return PlanProposed(**deciding(self.run, "planner", self._next()), **fields)

    def refuse_plan(self, *results: str) -> PlanRefused:
        """Return a refusal that cites cells with these results."""
        cited = [
            Citation(kind="cell", number=n, event_id=self.run.id, told=each) for n, each in enumerate(results, start=1)
        ]
        return PlanRefused(
            **deciding(self.run, "engineer", self._next()),
            assignment=self.run.assignment,
            environment=values.ENVIRONMENT,
            model="scripted",
            plan_md="# Plan\n\nOver the wall.\n",
            todo_md="# TODO\n",
            proof_md="The wall is too high: [cell 1].",
            evidence=tuple(cited),
        )

    def simulate_design(
        self, result: SimulationResult = STABLE, limits: Limits = values.LIMITS, delivery: Delivery = values.DELIVERY
    ) -> DesignSimulated:
        """Return a design to review."""
        return DesignSimulated(
            **deciding(self.run, "engineer", self._next()),
            assignment=self.run.assignment.model_copy(update={"limits": limits}),
            model="scripted",
            delivery=delivery,
            bill=values.BILL,
            result=result,
        )

    async def open_session(self, design: DesignSimulated) -> Event:
        """Begin the review of a design and return the critic's first decision in its kernel."""
        requested = await self.consume(design)
        assert isinstance(requested, SkillsRequested)
        session = await self.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
        assert isinstance(session, SessionRequested)
        return await self.consume(SessionOpened(**answering(session, "cad-worker"), ready_s=0.1, files=("plan.md",)))

    async def open_draft(self, certified: DraftCertified, *films: Media | None) -> Event:
        """Begin the review of a draft, with the media of each film or None if it fails; return the first decision."""
        event = await self.consume(certified)
        for media in films:
            assert isinstance(event, FilmRequested)
            event = await self.consume(filmed(event, media))
        assert isinstance(event, BenchmarkSessionRequested)
        assert event.reviewed == certified.draft.files
        return await self.consume(SessionOpened(**answering(event, "cad-worker"), ready_s=0.1, files=("plan.md",)))

    async def complete_cell(
        self, cell: Event, *variables: Variable, counted: AssessmentRecord | None = COUNTED, **fields: Any
    ) -> Event:
        """Complete a cell that bound these variables, and return the critic's next decision."""
        assert isinstance(cell, CellRequested), cell
        observation = Observation.model_validate({"status": "ok", **fields, "variables": variables})
        completed = CellCompleted(**answering(cell, "cad-worker"), observation=observation, assessment=counted)
        return await self.consume(completed)

    async def offline(self, design: DesignSimulated, **results: object) -> Event:
        """Return the offline critic's verdict on a design with these results of its reruns."""
        await self.consume(self.propose_plan())
        cell = await self.open_session(design)
        printed: dict[str, object] = {
            "stability": "stable",
            "summary": "stable",
            "strained": [],
            "over": [],
            "spare": [],
            **results,
        }
        output = f"<<<REVIEW {json.dumps(printed)} REVIEW>>>"
        names = ("stability", "strained", "shares", "spare")
        variables = [STABILITY.model_copy(update={"name": name}) for name in names]
        return await self.complete_cell(cell, *variables, output=output)

    def _next(self) -> int:
        self._number += 1
        return 100 + self._number
