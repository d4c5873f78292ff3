"""An engineer with a scripted model on a bus in memory, and the outcomes of its requests."""

import json
from typing import Any
from uuid import uuid4

from agent.model.role_model import Vision
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.design import DesignInvalidated, DesignRejected
from contracts.events.plan import PlanApproved
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileWriteRequested,
    FileWritten,
    SessionOpened,
    SessionRequested,
)
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.benchmark import Budget, Executor
from contracts.models.continuation import Continuation
from contracts.models.design import Finding
from contracts.models.observation import Observation, ShownImage
from contracts.models.submission import Refusal, Submission
from contracts.skills import OfferedSkill
from engineer.policy import Engineer
from langchain_core.messages import AIMessage

from tests.agent.role_harness import RoleHarness, Script, engineering_requested
from tests.contracts import example_values as values


def cell_reply(code: str, purpose: str = "look", reasoning: str = "so far so good") -> str:
    """Return a reply that runs this code."""
    sections = {"Purpose": purpose, "Reasoning": reasoning, "Next goal": "go on", "Code": f"```python\n{code}\n```"}
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in sections.items())


def script_reply(text: str, reasoning: str = "gravity does it") -> str:
    """Return a reply of a single pass."""
    return f"## Reasoning\n\n{reasoning}\n\n## Script\n\n```python\n{text}\n```"


def write_reply(path: str, text: str, thought: str = "") -> AIMessage:
    """Return a reply that writes this file."""
    return tool_reply("write_file", thought, path=path, text=text)


def tool_reply(name: str, thought: str = "", **arguments: str | int) -> AIMessage:
    """Return a reply that calls this tool."""
    args: dict[str, Any] = json.loads(json.dumps(arguments))
    return AIMessage(thought, tool_calls=[{"id": f"c-{uuid4()}", "name": name, "args": args}])


class EngineerHarness(RoleHarness):
    """The engineer with a script, and the outcomes of its requests."""

    def __init__(
        self,
        *script: str | AIMessage | Exception,
        bus: FakeBus | None = None,
        vision: Vision | None = None,
        executor: Executor = "code",
    ) -> None:
        super().__init__(Engineer(), _as_script(script), bus, vision=vision)
        self._executor: Executor = executor

    async def start(self, **budget: Any) -> list[Event]:
        """Approve a plan, open the session and return the first action."""
        return await self.start_with_plan(plan_approved(Budget(**budget), self._executor))

    async def start_with_plan(self, plan: PlanApproved, *skills: OfferedSkill) -> list[Event]:
        """Approve this plan, offer skills, open the session and return the first action."""
        (requested,) = await self.consume(plan)
        assert isinstance(requested, SkillsRequested)
        (session,) = await self.consume(SkillsOffered(**answering(requested, "skill-learner"), skills=skills))
        return await self.open_session(session)

    async def open_session(self, session: Event) -> list[Event]:
        """Open the requested session and return the engineer's decisions."""
        assert isinstance(session, SessionRequested)
        return await self.consume(
            SessionOpened(**answering(session, "cad-worker"), ready_s=0.4, files=("script.py", "posts.py"))
        )

    async def complete_cell(
        self,
        request: Event,
        output: str = "",
        ending: Submission | Refusal | None = None,
        images: tuple[ShownImage, ...] = (),
        simulations: int = 0,
    ) -> list[Event]:
        """Complete a cell successfully and return the engineer's decisions."""
        assert isinstance(request, CellRequested)
        seen = Observation(status="ok", output=output, output_chars=len(output), images=images)
        done = CellCompleted(
            **answering(request, "cad-worker"), observation=seen, ending=ending, simulations=simulations
        )
        return await self.consume(done)

    async def complete_write(self, request: Event) -> list[Event]:
        """Complete a write and return the engineer's decisions."""
        assert isinstance(request, FileWriteRequested)
        done = FileWritten(
            **answering(request, "cad-worker"),
            path=request.path,
            size_bytes=len(request.text),
            sha256=values.digest(request.text),
        )
        return await self.consume(done)


def _as_script(script: tuple[str | AIMessage | Exception, ...]) -> Script:
    return script


def plan_approved(
    budget: Budget | None = None,
    executor: Executor = "code",
    continues: Continuation | None = None,
    plan_md: str = values.PLAN,
) -> PlanApproved:
    """Return the approval of a plan in a new run, on the planner's thread."""
    request = engineering_requested()
    return PlanApproved(
        **deciding(request, "planner", 700),
        assignment=request.assignment,
        budget=budget or Budget(),
        model="scripted",
        environment=values.ENVIRONMENT,
        plan_md=plan_md,
        todo_md=values.TODO,
        executor=executor,
        continues=continues,
        review_md="mind the wall",
    )


def invalidated(cause: Event) -> DesignInvalidated:
    """Return the refusal of a submission: a part floats."""
    finding = Finding(rule="floating", label="leg-1", detail="leg-1 ends 3 mm above the floor; lengthen it")
    return DesignInvalidated(**answering(cause, "cad-worker"), findings=(finding,), limits=values.LIMITS)


def rejected(cause: Event, review_md: str = "flaky: raise the walls") -> DesignRejected:
    """Return the critic's rejection of a design."""
    return DesignRejected(**answering(cause, "critic"), review_md=review_md)
