"""A role with a scripted model on a bus in memory."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from agent.loop.checkpoints import Checkpoints, MemoryCheckpoints
from agent.loop.role import RolePolicy
from agent.loop.thread import RoleThreads
from agent.model.role_model import RoleModel, Vision
from agent.testing import ScriptedChat, scripted
from chassis.testing import FakeBus
from contracts.envelope import Event, deciding
from contracts.events.plan import PlanProposed
from contracts.events.run import EngineeringRequested
from langchain_core.messages import AIMessage

from tests.contracts import example_values as values

Script = Sequence[str | AIMessage | Exception]


def call(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return a reply that calls tools."""
    return AIMessage(
        "", tool_calls=[{"id": f"c{n}", "name": name, "args": args} for n, (name, args) in enumerate(calls)]
    )


class RoleHarness:
    """One role, its scripted model and a bus."""

    def __init__(
        self,
        policy: RolePolicy[Any],
        script: Script = (),
        bus: FakeBus | None = None,
        checkpoints: Checkpoints | None = None,
        vision: Vision | None = None,
    ) -> None:
        model, self.chat = scripted(*script, vision=vision)
        self.bus = bus or FakeBus()
        self.threads = threads_of(policy, model, self.bus, checkpoints)

    async def consume(self, event: Event) -> list[Event]:
        """Publish an event, advance the role's thread by it, and return the decisions."""
        await self.bus.publish(event)
        return await self.threads.advance(event)


def threads_of(
    policy: RolePolicy[Any], model: RoleModel, bus: FakeBus, checkpoints: Checkpoints | None = None
) -> RoleThreads[Any]:
    """Return the threads of a role in memory."""
    return RoleThreads(policy, model, bus, checkpoints or MemoryCheckpoints())


def engineering_requested(**changes: Any) -> EngineeringRequested:
    """Return the opening of a fresh run on the example benchmark."""
    run_id = uuid4()
    fields: dict[str, Any] = {"assignment": values.ASSIGNMENT, "budget": values.BUDGET, "model": "scripted", **changes}
    return EngineeringRequested(id=run_id, run_id=run_id, role="planner", producer="cli", **fields)


def plan_proposed(request: EngineeringRequested, plan_md: str = values.PLAN) -> PlanProposed:
    """Return the proposal of a plan for a run."""
    return PlanProposed(
        **deciding(request, "planner", 1),
        assignment=request.assignment,
        budget=request.budget,
        model=request.model,
        environment=values.ENVIRONMENT,
        plan_md=plan_md,
        todo_md=values.TODO,
    )


def last_prompt(chat: ScriptedChat) -> list[tuple[str, str]]:
    """Return the messages of the model's last call, as (type, text)."""
    return [(message.type, message.text) for message in chat.conversations[-1]]
