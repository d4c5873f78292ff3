"""Critic's part: would the plan lead there, and would the machine work again tomorrow?"""

from collections.abc import Sequence

from agent.conduct import Acted, Heard, Pen, complaint
from agent.conversation import user
from agent.prompts import Prompts
from agent.rendering.assignment import assignment_markdown
from agent.rendering.verdicts import bill_markdown, limits_markdown, simulation_markdown
from contracts.abandoned import WorkAbandoned
from contracts.conversation import Message, ReplyRejected
from contracts.design import DesignApproved, DesignRejected, DesignSimulated
from contracts.envelope import Event, Role
from contracts.model import Model
from contracts.planning import PlanApproved, PlanProposed, PlanRejected
from pydantic import BaseModel

from critic.verdict import Verdict, read_verdict


class CriticNotes(Model):
    """What critic keeps of a run: what it is asked about right now."""

    introduced: bool = False
    """The conversation has begun."""
    plan: PlanProposed | None = None
    design: DesignSimulated | None = None


class Critic:
    """Approves or rejects, with reasons."""

    role: Role = "critic"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[CriticNotes] = CriticNotes

    def __init__(self) -> None:
        self._prompts = Prompts("critic")
        self.prompt_digest = self._prompts.digest

    async def remember(self, event: Event, notes: CriticNotes, pen: Pen) -> Heard[CriticNotes]:  # noqa: ARG002 - decides nothing before it has thought
        """Return what the critic is shown."""
        match event:
            case PlanProposed():
                shown = CriticNotes(introduced=True, plan=event)
                return Heard(shown, (*self._introduction(notes), user(self._plan(event))), event.model)
            case DesignSimulated():
                shown = CriticNotes(introduced=True, design=event)
                return Heard(shown, (*self._introduction(notes), user(self._design(event))), event.model)
            case ReplyRejected():
                asked = _asked(notes)
                return Heard(notes, (user(complaint(event)),), asked.model if asked else "")
            case _:
                return Heard(notes)

    async def act(self, reply: Message, notes: CriticNotes, pen: Pen) -> Acted[CriticNotes]:  # noqa: ARG002 - answers need no pen
        """Answer what was asked."""
        verdict = read_verdict(reply)
        answered = CriticNotes(introduced=True)
        if notes.plan is not None:
            return Acted(answered, (_on_plan(notes.plan, verdict),))
        assert notes.design is not None
        return Acted(answered, (_on_design(notes.design, verdict),))

    def give_up(self, problem: str, notes: CriticNotes, pen: Pen) -> Acted[CriticNotes]:  # noqa: ARG002 - as above
        """Answer that there is no review: nobody must read silence as approval."""
        asked = _asked(notes)
        assert asked is not None
        return Acted(notes, (WorkAbandoned.answering(asked, "critic", reason="model_failed", detail=problem),))

    def _introduction(self, notes: CriticNotes) -> tuple[Message, ...]:
        return () if notes.introduced else (Message(author="system", text=self._prompts.render("system")),)

    def _plan(self, asked: PlanProposed) -> str:
        return self._prompts.render(
            "plan",
            assignment=assignment_markdown(asked.assignment, asked.environment),
            plan=asked.plan_md.strip(),
            todo=asked.todo_md.strip(),
        )

    def _design(self, asked: DesignSimulated) -> str:
        return self._prompts.render(
            "design",
            simulation=simulation_markdown(asked.result),
            limits=limits_markdown(asked.bill, asked.assignment.limits),
            bill=bill_markdown(asked.bill),
        )


def _asked(notes: CriticNotes) -> PlanProposed | DesignSimulated | None:
    return notes.plan or notes.design


def _on_plan(asked: PlanProposed, verdict: Verdict) -> PlanApproved | PlanRejected:
    if not verdict.approved:
        return PlanRejected.answering(asked, "critic", review_md=verdict.review_md)
    return PlanApproved.answering(
        asked,
        "critic",
        assignment=asked.assignment,
        budget=asked.budget,
        model=asked.model,
        environment=asked.environment,
        plan_md=asked.plan_md,
        todo_md=asked.todo_md,
        executor=asked.executor,
        continues=asked.continues,
        review_md=verdict.review_md,
    )


def _on_design(asked: DesignSimulated, verdict: Verdict) -> DesignApproved | DesignRejected:
    if not verdict.approved:
        return DesignRejected.answering(asked, "critic", review_md=verdict.review_md)
    return DesignApproved.answering(
        asked, "critic", review_md=verdict.review_md, delivery=asked.delivery, bill=asked.bill, result=asked.result
    )
