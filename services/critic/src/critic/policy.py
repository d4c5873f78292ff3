"""Policy of the critic: it reviews plans and refusals of plans, and designs and drafts in a kernel of its own."""

from collections.abc import Callable, Sequence
from struct import unpack

from agent.kernel_session.cells import cell_request, read_cell_call
from agent.kernel_session.kernel_role import KernelRole
from agent.kernel_session.messages import answer_cell
from agent.loop.replies import CellAction, MalformedReplyError, read_cell
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.loop.tool_calls import CodeCell
from agent.model.messages import user_message
from artifacts.port import ArtifactStore
from contracts.envelope import Event, Role
from contracts.events.benchmark import BenchmarkPlanProposed, BenchmarkSessionRequested, DraftCertified
from contracts.events.conversation import ReplyRejected
from contracts.events.design import DesignSimulated
from contracts.events.plan import PlanProposed, PlanRefused
from contracts.events.session import (
    CellCompleted,
    ReviewedDesign,
    SessionFailed,
    SessionOpened,
    SessionRequested,
)
from contracts.events.simulation import FilmCompleted, FilmFailed, FilmRequested
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.conversation import Message, Picture, ToolCall
from contracts.models.design import Delivery
from contracts.models.simulation import Media
from contracts.text import shortened
from pydantic import BaseModel

from critic.benchmark_messages import benchmark_plan_message, draft_message
from critic.messages import design_message, observation_text, plan_message, refusal_message, system_message
from critic.notes import MAX_CELLS, CriticNotes, Examined, Question
from critic.outcomes import no_kernel, no_review, outcome, rejected_by_physics
from critic.tool_calls import CRITIC_TOOLS, read_calls, tools_for
from critic.verdict import REFUSAL, Verdict, is_verdict, read_design_verdict, read_verdict


class PlanUnknownError(Exception):
    """A design is to be reviewed whose plan the critic never received: the log of the run has a gap."""


class Critic(KernelRole[CriticNotes, CellAction]):
    """Approves or rejects, upholds or denies, with reasons; an approved design was run again.

    A design that physics has not proven is rejected without asking the model, which can only add reasons to reject.
    """

    role: Role = "critic"
    tools: Sequence[type[BaseModel]] = CRITIC_TOOLS
    notes_class: type[CriticNotes] = CriticNotes

    def __init__(self, artifacts: ArtifactStore, sees_pictures: Callable[[str], bool] = lambda _: False) -> None:
        """`sees_pictures` tells whether the model of a name does; then a simulation is filmed for it."""
        self._artifacts = artifacts
        self._sees_pictures = sees_pictures
        self._prompts = Prompts("critic")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: CriticNotes, events: StepEvents) -> Reaction[CriticNotes]:
        """React to an event; without an open review only a new question matters."""
        match event:
            case PlanProposed() | PlanRefused() | BenchmarkPlanProposed():
                return self.ask(notes.begin_question(event), events, _question_message(self._prompts, event))
            case DesignSimulated():
                return _take_design(event, notes, events)
            case DraftCertified():
                return self._prepare(notes.begin_question(event), event, events)
            case ReplyRejected() if notes.question is not None:
                return self.ask(notes, events, user_message(rejection_text(event)))
            case _ if notes.examined is not None:
                return await self._examine(event, notes, notes.examined, events)
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: CriticNotes, events: StepEvents) -> Decision[CriticNotes]:
        """Answer the question, or run another cell on a design."""
        question = notes.question
        assert question is not None
        if reply.tool_calls:
            action = read_calls(reply, question, notes)
        elif isinstance(question, Examined) and not is_verdict(reply):
            action = _read_cell(reply, notes)
        else:
            action = _read_verdict(reply, question, notes)
        if isinstance(action, Verdict):
            return Decision(notes.begin_calls(reply).end_question(), (outcome(question, action),))
        return self.act(reply, action, notes, events)

    def give_up(self, problem: str, notes: CriticNotes, events: StepEvents) -> Decision[CriticNotes]:  # noqa: ARG002 - an outcome has its own id
        """Answer that the review failed."""
        assert notes.question is not None
        return Decision(notes.end_question(), (no_review(notes.question, problem),))

    async def _examine(
        self, event: Event, notes: CriticNotes, question: Examined, events: StepEvents
    ) -> Reaction[CriticNotes]:
        match event:
            case SkillsOffered(skills=skills):
                return self._prepare(notes.model_copy(update={"skills": skills}), question, events)
            case FilmCompleted() | FilmFailed() if event.causation_id == notes.film_request:
                media = event.media if isinstance(event, FilmCompleted) else None
                notes = notes.model_copy(update={"film_request": None, "media": media})
                return Reaction(notes, decided=(_session_request(question, notes, events),))
            case SessionOpened():
                pictures = () if notes.media is None else await pictures_of(notes.media, self._artifacts)
                message = await self._message(question, event, notes)
                return self.ask(notes, events, message.model_copy(update={"images": pictures}))
            case SessionFailed():
                return Reaction(notes.end_question(), decided=(no_kernel(question, event),))
            case CellCompleted():
                notes = notes.with_evidence(event)
                notes, answer = answer_cell(event, observation_text(self._prompts, event, notes), notes)
                return self.after_cell(event, notes, events, answer)
            case _:
                return Reaction(notes)

    def _prepare(self, notes: CriticNotes, question: Examined, events: StepEvents) -> Reaction[CriticNotes]:
        """Request a film if the model sees pictures, and a kernel when there is no film to wait for."""
        run = _filmed_run(question) if self._sees_pictures(question.model) else None
        if run is None:
            return Reaction(notes, decided=(_session_request(question, notes, events),))
        scene, digest = run
        film = FilmRequested(**events.next(), scene=scene, trajectory_digest=digest)
        return Reaction(notes.model_copy(update={"film_request": film.id}), decided=(film,))

    async def _message(self, question: Examined, opened: SessionOpened, notes: CriticNotes) -> Message:
        """Return what is to be reviewed, once the kernel that holds it is open."""
        if isinstance(question, DraftCertified):
            return draft_message(self._prompts, question, notes)
        todo = await todo_of(question.delivery, self._artifacts)
        return design_message(self._prompts, question, opened, notes, todo)

    def read_call(self, call: ToolCall, notes: CriticNotes) -> CellAction:  # noqa: ARG002 - verdicts come alone
        """Return the cell of a call beside others; raise `MalformedReplyError`."""
        return read_cell_call(call, (CodeCell,))

    def request(self, notes: CriticNotes, action: CellAction, events: StepEvents) -> tuple[CriticNotes, Event]:
        """Return the request that runs a cell, and the notes after it."""
        return notes.model_copy(update={"cell": action, "cells": notes.cells + 1}), cell_request(action, events)

    def ask(self, notes: CriticNotes, events: StepEvents, *messages: Message) -> Reaction[CriticNotes]:  # noqa: ARG002 - no limit ends a review
        """Call the question's model; the first time the system prompt comes first.

        A call that gave the last verdict is answered before the next question.
        """
        question = notes.question
        assert question is not None
        before = () if notes.introduced else (system_message(self._prompts),)
        if notes.open_call is not None:
            notes, passed_on = notes.answer("Your verdict was passed on.")
            before = (passed_on,)
        notes = notes.model_copy(update={"introduced": True})
        return Reaction(notes, (*before, *messages), question.model, tools=tools_for(question))


def _question_message(prompts: Prompts, question: PlanProposed | PlanRefused | BenchmarkPlanProposed) -> Message:
    match question:
        case PlanProposed():
            return plan_message(prompts, question)
        case PlanRefused():
            return refusal_message(prompts, question)
        case BenchmarkPlanProposed():
            return benchmark_plan_message(prompts, question)


def _take_design(design: DesignSimulated, notes: CriticNotes, events: StepEvents) -> Reaction[CriticNotes]:
    """Begin the review of a design that physics has proven, and reject any other."""
    if not design.result.is_proven:
        return Reaction(notes.end_question(), decided=(rejected_by_physics(design),))
    return Reaction(notes.begin_question(design), decided=(SkillsRequested(**events.next()),))


def _filmed_run(question: Examined) -> tuple[ArtifactRef, str] | None:
    """Return scene and digest of the run that is filmed: the verdict's, or that of a draft's weakest witness."""
    if isinstance(question, DraftCertified):
        return None if question.weakest is None else (question.weakest.scene, question.weakest.trajectory_digest)
    return None if question.delivery.scene is None else (question.delivery.scene, question.result.trajectory_digest)


def _session_request(
    question: Examined, notes: CriticNotes, events: StepEvents
) -> SessionRequested | BenchmarkSessionRequested:
    """Return the request for a kernel that holds the design or the draft; raise `PlanUnknownError`."""
    if isinstance(question, DraftCertified):
        return BenchmarkSessionRequested(
            **events.next(),
            brief=question.brief,
            plan_md=question.plan_md,
            todo_md="",
            reviewed=question.draft.files,
        )
    design, plan = question, notes.known_plan
    if plan is None:
        raise PlanUnknownError(f"run {design.run_id} has a design, and the critic never received its plan")
    return SessionRequested(
        **events.next(),
        assignment=design.assignment,
        environment=plan.environment,
        plan_md=plan.plan_md,
        todo_md=plan.todo_md,
        skills=notes.skills,
        reviewed=ReviewedDesign(delivery=design.delivery, bill=design.bill, result=design.result),
    )


def _read_cell(reply: Message, notes: CriticNotes) -> CellAction:
    """Return the cell in the reply's text; raise `MalformedReplyError` if it has none, or no cell is left."""
    if notes.cells_left <= 0:
        raise MalformedReplyError(f"The {MAX_CELLS} cells of this review are used up: reply with the verdict.")
    return read_cell(reply)


def _read_verdict(reply: Message, question: Question, notes: CriticNotes) -> Verdict:
    match question:
        case PlanProposed() | BenchmarkPlanProposed() | DraftCertified():
            return read_verdict(reply)
        case PlanRefused():
            return read_verdict(reply, REFUSAL)
        case DesignSimulated():
            return read_design_verdict(reply, {each.name: each for each in notes.evidence}, notes.counted)


TODO_CHARS = (4_000, 1_000)
"""Of the TODO list: its first and last characters."""
_PNG_SIZE = slice(16, 24)


async def pictures_of(media: Media, artifacts: ArtifactStore) -> tuple[Picture, ...]:
    """Return key frames and views of a filmed simulation."""
    shown = (
        (media.contact_sheet, "key frames of the verdict's nominal run", media.contact_sheet_show),
        (media.views, "top, front and right view of it, with the payload's path", media.views_show),
    )
    return tuple([await _picture(ref, caption, shows, artifacts) for ref, caption, shows in shown if ref is not None])


async def todo_of(delivery: Delivery, artifacts: ArtifactStore) -> str:
    """Return the engineer's TODO list as it was submitted; empty if the delivery names none."""
    if delivery.documents is None:
        return ""
    text = (await artifacts.get(delivery.documents.todo)).decode(errors="replace")
    return shortened(text.strip(), *TODO_CHARS)


async def _picture(ref: ArtifactRef, caption: str, shows: str, artifacts: ArtifactStore) -> Picture:
    width_px, height_px = unpack(">II", (await artifacts.get(ref))[_PNG_SIZE])
    return Picture(caption=caption, artifact=ref, width_px=width_px, height_px=height_px, shows=shows)
