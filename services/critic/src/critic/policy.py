"""Critic's part: would the plan lead there, is it impossible, and would the machine work again tomorrow?"""

from collections.abc import Sequence

from agent.loop.cell_reply import read_cell
from agent.loop.prompts import Prompts
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from agent.rendering.assignment import assignment_markdown
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import CellCompleted, CellRequested, SessionFailed, SessionOpened
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.conversation import Message
from pydantic import BaseModel

from critic.design_review import kernel_for, words_of_cell, words_of_design
from critic.notes import MOST_CELLS, CriticNotes, Question
from critic.outcomes import no_kernel, no_review, outcome
from critic.verdict import REFUSAL, Verdict, is_verdict, read_judgement, read_verdict


class Critic:
    """Approves or rejects, upholds or denies, with reasons; a design only after it was run again."""

    role: Role = "critic"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[CriticNotes] = CriticNotes

    def __init__(self) -> None:
        self._prompts = Prompts("critic")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: CriticNotes, pen: StepEvents) -> Reaction[CriticNotes]:
        """Return what the event means; what comes of a review that is over means nothing."""
        match event:
            case PlanProposed():
                return self._ask(notes.asked(event), event, user_message(self._plan(event)))
            case PlanRefused():
                return self._ask(notes.asked(event), event, user_message(self._refusal(event)))
            case DesignSimulated():
                return Reaction(notes.asked(event), decided=(pen.next(SkillsRequested),))
            case ReplyRejected() if notes.question is not None:
                return self._ask(notes, notes.question, user_message(rejection_text(event)))
            case _ if notes.design is not None:
                return self._go_on(event, notes, notes.design, pen)
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: CriticNotes, pen: StepEvents) -> Decision[CriticNotes]:
        """Answer what was asked, or look closer at a design."""
        question = notes.question
        assert question is not None
        if isinstance(question, DesignSimulated) and not is_verdict(reply):
            return _look_closer(reply, notes, pen)
        return Decision(notes.answered(), (outcome(question, _verdict(reply, question, notes)),))

    def give_up(self, problem: str, notes: CriticNotes, pen: StepEvents) -> Decision[CriticNotes]:  # noqa: ARG002 - an answer needs no pen
        """Answer that there is no review."""
        assert notes.question is not None
        return Decision(notes.answered(), (no_review(notes.question, problem),))

    def _go_on(
        self, event: Event, notes: CriticNotes, design: DesignSimulated, pen: StepEvents
    ) -> Reaction[CriticNotes]:
        """Return what an event means to the review of a design."""
        match event:
            case SkillsOffered(skills=skills):
                notes = notes.model_copy(update={"skills": skills})
                return Reaction(notes, decided=(kernel_for(design, notes, pen),))
            case SessionOpened():
                return self._ask(notes, design, words_of_design(self._prompts, design, event, notes))
            case SessionFailed():
                return Reaction(notes.answered(), decided=(no_kernel(design, event),))
            case CellCompleted():
                notes = notes.observed(event)
                return self._ask(notes, design, words_of_cell(self._prompts, event, notes))
            case _:
                return Reaction(notes)

    def _ask(self, notes: CriticNotes, question: Question, says: Message) -> Reaction[CriticNotes]:
        """Say something to the model that the question is for; the first time, after who it is."""
        first = () if notes.introduced else (Message(author="system", text=self._prompts.render("system")),)
        return Reaction(notes.model_copy(update={"introduced": True}), (*first, says), question.model)

    def _plan(self, asked: PlanProposed) -> str:
        return self._prompts.render(
            "plan",
            assignment=assignment_markdown(asked.assignment, asked.environment),
            plan=asked.plan_md.strip(),
            todo=asked.todo_md.strip(),
        )

    def _refusal(self, asked: PlanRefused) -> str:
        evidence = [f"### {each.kind} {each.number}\n\n{each.told.strip()}" for each in asked.evidence]
        return self._prompts.render(
            "refusal",
            assignment=assignment_markdown(asked.assignment, asked.environment),
            plan=asked.plan_md.strip(),
            proof=asked.proof_md.strip(),
            evidence="\n\n".join(evidence),
        )


def _look_closer(reply: Message, notes: CriticNotes, pen: StepEvents) -> Decision[CriticNotes]:
    """Run one more cell; raise `MalformedReplyError` if there is none in the reply, or none left."""
    if notes.cells_left <= 0:
        raise MalformedReplyError(f"The {MOST_CELLS} cells of this review are used up: reply with the verdict.")
    cell = read_cell(reply)
    request = pen.next(CellRequested, purpose=cell.purpose, code=cell.code, next_goal=cell.next_goal)
    return Decision(notes.model_copy(update={"cells": notes.cells + 1, "cell": cell}), (request,))


def _verdict(reply: Message, question: Question, notes: CriticNotes) -> Verdict:
    match question:
        case PlanProposed():
            return read_verdict(reply)
        case PlanRefused():
            return read_verdict(reply, REFUSAL)
        case DesignSimulated():
            return read_judgement(reply, {each.name: each for each in notes.evidence})
