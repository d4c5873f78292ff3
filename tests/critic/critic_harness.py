"""A critic's thread on a log in memory, and the events that come to it."""

import json
from typing import Any

from agent.model.providers import offline_chat
from agent.model.role_model import RoleModel, Vision
from chassis.testing import FakeBus
from contracts.envelope import Event
from contracts.events.design import DesignSimulated
from contracts.events.plan import Citation, PlanProposed, PlanRefused
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Limits
from contracts.models.observation import Observation, Variable
from contracts.models.simulation import SimulationResult
from critic.policy import Critic

from tests.agent.role_harness import RolePlay, engineering_requested, threads_of
from tests.contracts import example_values as values

STABLE = values.RESULT
CELL = (
    "## Purpose\n\nRun again\n\n## Reasoning\n\nOne run is none.\n\n## Next goal\n\nJudge.\n\n"
    "## Code\n\n```python\nx = 1\n```"
)
APPROVES = "VERDICT: APPROVE\n\n## Reasons\n\n- it holds\n\n## Evidence\n\n- `stability`: 30 of 30\n- shares"
REJECTS = "VERDICT: REJECT\n\n## Reasons\n\n- 8 of 30 leave at x=120\n\n## Evidence\n\n- none"
STABILITY = Variable(name="stability", type="Assessment", summary="stable: 30 of 30", change="new", fingerprint="ab12")
SHARES = Variable(name="shares", type="dict", summary="3 items", change="new", fingerprint="cd34")


class Walk:
    """One run, as critic sees it."""

    def __init__(self, *script: str, vision: Vision | None = None, is_offline: bool = False) -> None:
        self.run = engineering_requested()
        self.play = RolePlay(Critic(), script, vision=vision)
        if is_offline:
            self.play.bus = FakeBus()
            self.play.threads = threads_of(Critic(), RoleModel(lambda _: offline_chat()), self.play.bus)
        self._number = 0

    async def hear(self, event: Event) -> Event:
        """Let critic hear an event, and return the one thing that it decides."""
        (decided,) = await self.play.hear(event)
        return decided

    def proposed(self, **changes: Any) -> PlanProposed:
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
        return PlanProposed.deciding(self.run, "planner", self._next(), **fields)

    def refused(self, *told: str) -> PlanRefused:
        """Return a refusal that cites these."""
        cited = [
            Citation(kind="cell", number=n, event_id=self.run.id, told=each) for n, each in enumerate(told, start=1)
        ]
        return PlanRefused.deciding(
            self.run,
            "engineer",
            self._next(),
            assignment=self.run.assignment,
            environment=values.ENVIRONMENT,
            model="scripted",
            plan_md="# Plan\n\nOver the wall.\n",
            todo_md="# TODO\n",
            proof_md="The wall is too high: [cell 1].",
            evidence=tuple(cited),
        )

    def simulated(self, result: SimulationResult = STABLE, limits: Limits = values.LIMITS) -> DesignSimulated:
        """Return a design to review."""
        return DesignSimulated.deciding(
            self.run,
            "engineer",
            self._next(),
            assignment=self.run.assignment.model_copy(update={"limits": limits}),
            model="scripted",
            delivery=values.DELIVERY,
            bill=values.BILL,
            result=result,
        )

    async def opens(self, design: DesignSimulated) -> Event:
        """Have a design reviewed up to what critic first does in its kernel."""
        wanted = await self.hear(design)
        assert isinstance(wanted, SkillsRequested)
        session = await self.hear(SkillsOffered.answering(wanted, "skill-learner", skills=()))
        assert isinstance(session, SessionRequested)
        return await self.hear(SessionOpened.answering(session, "cad-worker", ready_s=0.1, files=("plan.md",)))

    async def completes(self, cell: Event, *variables: Variable, **seen: Any) -> Event:
        """Complete a cell that left these variables, and return what critic does next."""
        assert isinstance(cell, CellRequested), cell
        observation = Observation.model_validate({"status": "ok", **seen, "variables": variables})
        return await self.hear(CellCompleted.answering(cell, "cad-worker", observation=observation))

    async def offline(self, design: DesignSimulated, **told: object) -> Event:
        """Return the offline critic's word on a design whose reruns tell this."""
        await self.hear(self.proposed())
        cell = await self.opens(design)
        words: dict[str, object] = {
            "stability": "stable",
            "summary": "stable",
            "strained": [],
            "over": [],
            "spare": [],
            **told,
        }
        output = f"<<<REVIEW {json.dumps(words)} REVIEW>>>"
        names = ("stability", "strained", "shares", "spare")
        variables = [STABILITY.model_copy(update={"name": name}) for name in names]
        return await self.completes(cell, *variables, output=output)

    def _next(self) -> int:
        self._number += 1
        return 100 + self._number
