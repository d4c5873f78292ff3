"""Runs in memory: the real policies of all roles, chained by their events, with random replies and random workers."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import critic.app
import engineer.app
import planner.app
from agent.loop.rejections import Rejections
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, RolePolicy, StepEvents
from agent.loop.thread import Consumes
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.design import DesignSimulated
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.models.benchmark import Budget
from contracts.models.conversation import Message
from critic.policy import Critic
from engineer.policy import Engineer
from hypothesis.strategies import DataObject
from planner.policy import Planner

from tests.agent.role_harness import engineering_requested
from tests.skill_learner.learner_harness import learner_on
from tests.verdicts.random_replies import flattering_reply, random_reply
from tests.verdicts.random_workers import RandomWorkers

ROLES: tuple[Role, ...] = ("planner", "engineer", "critic", "skill-learner")
BUDGET = Budget(max_steps=6, max_rejections=2)
_CONSUMES: Mapping[Role, Consumes] = {
    "planner": {EngineeringRequested: None, **planner.app.CONSUMES},
    "engineer": engineer.app.CONSUMES,
    "critic": critic.app.CONSUMES,
    "skill-learner": {RunSucceeded: None, ReplyRejected: "skill-learner", ToolAnswered: "skill-learner"},
}
PROVEN = ("solved", "stable")
_MAX_EVENTS = 400
"""Of a run; the budgets end it long before."""


@dataclass
class _Thread:
    policy: RolePolicy[Any]
    notes: Any
    step: int = 0
    rejections: Rejections = field(default_factory=Rejections)


@lru_cache
def _policies_without_state() -> tuple[RolePolicy[Any], ...]:
    """Return the policies that need no bus; all runs share them, since their templates take a while to load."""
    return Planner(lambda _, /, *, priced=False: None, FakeArtifacts()), Engineer(), Critic(FakeArtifacts())


@dataclass
class RandomRun:
    """One run; the replies of the roles in `random_roles` are random, those of the others flatter."""

    data: DataObject
    random_roles: frozenset[Role]
    replies: Counter[Role] = field(default_factory=Counter[Role])
    """Random replies that were used, by role."""
    refused: Counter[Role] = field(default_factory=Counter[Role])
    """Random replies that broke a rule, such as an approval without reruns."""

    def __post_init__(self) -> None:
        """Start with an empty log."""
        self.bus, self.workers = FakeBus(), RandomWorkers(self.data)
        learner = learner_on(self.bus)
        policies: tuple[RolePolicy[Any], ...] = (*_policies_without_state(), learner)
        self._threads = {each.role: _Thread(each, each.notes_class()) for each in policies}
        self._queue: deque[Event] = deque()

    async def start(self) -> None:
        """Request a design, and work until the run has ended and was learned from."""
        await self.publish(engineering_requested(budget=BUDGET))
        await self.work()

    async def work(self) -> None:
        """Let roles and workers consume what was published, and what follows from it."""
        while self._queue:
            assert len(self.bus.events) < _MAX_EVENTS
            event = self._queue.popleft()
            for role, consumes in _CONSUMES.items():
                if type(event) in consumes and consumes[type(event)] in {None, event.role}:
                    await self._advance(role, event)
            outcome = None if self.end is not None else self.workers.outcome(event)
            if outcome is not None:
                await self.publish(outcome)

    async def publish(self, event: Event) -> None:
        """Store an event; the first one under an id counts, and after the end of the run only the end is consumed."""
        was_over = self.end is not None
        if await self.bus.publish(event) and (not was_over or event.role == "skill-learner"):
            self._queue.append(event)

    @property
    def end(self) -> RunSucceeded | RunFailed | None:
        """The end of the run, once there is one."""
        return next((event for event in self.bus.events if isinstance(event, RunSucceeded | RunFailed)), None)

    @property
    def reviewed(self) -> list[DesignSimulated]:
        """The simulated designs that reached a review, in order, one for each list in `workers.reruns`."""
        simulated = [event for event in self.bus.events if isinstance(event, DesignSimulated)]
        return [event for event in simulated if (event.result.verdict, event.result.stability) == PROVEN]

    async def _advance(self, role: Role, event: Event) -> None:
        thread = self._threads[role]
        events = StepEvents(event, role, thread.step)
        thread.step += 1
        reaction: Reaction[Any] = await thread.policy.on_event(event, thread.notes, events)
        decision: Decision[Any] = Decision(reaction.notes, ())
        if reaction.model:
            decision = await self._reply(role, reaction.notes, events)
        thread.notes = decision.notes
        for each in (*reaction.decided, *decision.decided):
            await self.publish(each)

    async def _reply(self, role: Role, notes: Any, events: StepEvents) -> Decision[Any]:
        thread = self._threads[role]
        reply = self._model(role, notes)
        try:
            decision = await thread.policy.on_reply(reply, notes, events)
        except MalformedReplyError as problem:
            thread.rejections = thread.rejections.after(problem.cause)
            self.refused[role] += role in self.random_roles
            if thread.rejections.are_too_many:
                return thread.policy.give_up(str(problem), notes, events)
            attempt = thread.rejections.in_a_row
            rejected = ReplyRejected(**events.next(), problem=str(problem), attempt=attempt, cause=problem.cause)
            return Decision(notes, (rejected,))
        thread.rejections = Rejections()
        self.replies[role] += role in self.random_roles
        return decision

    def _model(self, role: Role, notes: Any) -> Message:
        if role in self.random_roles:
            return self.data.draw(random_reply(role, notes, self.bus.events))
        return flattering_reply(role, notes, self.bus.events)
