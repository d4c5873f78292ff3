"""Policy of the spatial-agent: a plan without images, then one cell after the other until an answer is accepted."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from agent.kernel_session.cells import cell_request, read_cell_call
from agent.kernel_session.kernel_role import KernelRole
from agent.loop.replies import CellAction, require_text_only
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.loop.tool_calls import CodeCell
from agent.model.messages import user_message
from contracts.envelope import Event, Role, answering
from contracts.events.conversation import ReplyRejected
from contracts.events.question import (
    QuestionAnswered,
    QuestionAsked,
    QuestionFailed,
    QuestionFailureReason,
    QuestionSessionRequested,
)
from contracts.events.session import CellCompleted, SessionFailed, SessionOpened
from contracts.models.conversation import Message, ToolCall
from contracts.models.questions.answers import ValidAnswer, check_answer
from pydantic import BaseModel

from spatial_agent.direct_answers import read_answer, read_refusal
from spatial_agent.executors import EXECUTORS, CallTool, GiveAnswer
from spatial_agent.messages import observe_cell, plan_message, system_message, task_message, with_steps_left
from spatial_agent.notes import SpatialNotes
from spatial_agent.primitives import add_primitives

FIRST_IMAGES_SHARE = 0.5
"""Of the pictures that a prompt may have: the others are for what cells show."""


class Models(Protocol):
    """What the policy asks about models; see `RoleModel`."""

    def problem(self, model: str, *, priced: bool = False) -> str | None:
        """Return why a model cannot be used, or None."""
        ...

    def max_images(self, model: str) -> int:
        """Return how many pictures a prompt may have."""
        ...

    def resolve_name(self, model: str) -> str:
        """Return the model that this role calls in a run that names `model`."""
        ...


ServerCheck: TypeAlias = Callable[[], Awaitable[bool]]
"""Tells whether images without a known scene can be reconstructed and segmented now."""


class SpatialAgent(KernelRole[SpatialNotes, CellAction]):
    """Answers one question in a run, and is the only role that ends the run, besides its limits."""

    role: Role = "spatial-agent"
    tools: Sequence[type[BaseModel]] = (CodeCell, CallTool, GiveAnswer)
    notes_class: type[SpatialNotes] = SpatialNotes

    def __init__(self, models: Models, has_server: ServerCheck) -> None:
        self._models = models
        self._has_server = has_server
        self._prompts = Prompts("spatial_agent")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: SpatialNotes, events: StepEvents) -> Reaction[SpatialNotes]:
        """React to an event; after the end nothing is decided."""
        if isinstance(event, QuestionAsked):
            return self._open(await self._opening_notes(event), events)
        if notes.asked is None or notes.ended:
            return Reaction(notes)
        return self._react(event, notes, events)

    def _react(self, event: Event, notes: SpatialNotes, events: StepEvents) -> Reaction[SpatialNotes]:
        match event:
            case SessionOpened():
                return self._begin(notes, events)
            case SessionFailed():
                return _fail(notes, "session_failed", event.detail)
            case CellCompleted():
                return self._observe(event, notes, events)
            case ReplyRejected():
                notes = notes.model_copy(update={"rejected_replies": notes.rejected_replies + 1})
                return self.ask(notes, events, user_message(rejection_text(event)))
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: SpatialNotes, events: StepEvents) -> Decision[SpatialNotes]:
        """Read the plan, the answer, the next action or a refusal, which takes back an earlier answer."""
        asked = notes.opening
        refusal = read_refusal(reply)
        if refusal is not None:
            reaction = _fail(notes, "model_failed", refusal, is_refusal=True)
            return Decision(reaction.notes, reaction.decided)
        if asked.executor not in EXECUTORS:
            answered = _answered(notes, read_answer(reply, asked.question.answer), "returned")
            return Decision(notes.model_copy(update={"ended": True}), (answered,))
        if not notes.is_open:
            notes = notes.model_copy(update={"plan_md": require_text_only(reply)})
            return Decision(notes, (_session_request(asked, events),))
        return self.act(reply, EXECUTORS[asked.executor].read(reply), notes, events)

    def give_up(self, problem: str, notes: SpatialNotes, events: StepEvents) -> Decision[SpatialNotes]:  # noqa: ARG002 - an outcome has its own id
        """End the run: with the last valid answer, or without one."""
        reaction = _end_without_return(notes, "model_failed", problem)
        return Decision(reaction.notes, reaction.decided)

    async def _opening_notes(self, asked: QuestionAsked) -> SpatialNotes:
        """Return the first notes: without a known scene and a server, perception does what it can without models."""
        has_scenes = all(frame.source is not None for frame in asked.question.frames)
        is_exact = has_scenes or "perception" in asked.tools_off
        return SpatialNotes(asked=asked, is_classic=not is_exact and not await self._has_server())

    def _open(self, notes: SpatialNotes, events: StepEvents) -> Reaction[SpatialNotes]:
        """Ask for a plan or an answer, or request the kernel at once."""
        asked = notes.opening
        problem = self._models.problem(asked.model)
        if problem is not None:
            return _fail(notes, "model_failed", problem)
        system = system_message(self._prompts, asked, is_classic=notes.is_classic)
        if asked.executor not in EXECUTORS:
            return self.ask(notes, events, system, self._task(asked, repeats_question=True))
        if not asked.is_planned or asked.executor == "single_pass":
            return Reaction(notes, decided=(_session_request(asked, events),))
        return Reaction(notes, (system, plan_message(self._prompts, asked)), asked.model, tools=())

    def _begin(self, notes: SpatialNotes, events: StepEvents) -> Reaction[SpatialNotes]:
        """Show the question and its images; after a plan the conversation has begun already."""
        if notes.is_open:
            return Reaction(notes)
        asked, notes = notes.opening, notes.model_copy(update={"is_open": True})
        is_planned = bool(notes.plan_md)
        task = self._task(asked, repeats_question=not is_planned)
        system = system_message(self._prompts, asked, is_classic=notes.is_classic)
        return self.ask(notes, events, *(() if is_planned else (system,)), task)

    def _task(self, asked: QuestionAsked, *, repeats_question: bool) -> Message:
        most = self._models.max_images(self._models.resolve_name(asked.model))
        if asked.executor in ("code", "tool_calls"):
            most = round(FIRST_IMAGES_SHARE * most)
        return task_message(self._prompts, asked, most, repeats_question=repeats_question)

    def _observe(self, event: CellCompleted, notes: SpatialNotes, events: StepEvents) -> Reaction[SpatialNotes]:
        """End the run with an accepted answer; else run the reply's next call, or ask the model."""
        asked = notes.opening
        checked = None if event.answer is None else check_answer(asked.question.answer, event.answer.value)
        if isinstance(checked, ValidAnswer):
            notes = notes.model_copy(update={"valid_answer": checked})
            if event.observation.status == "ok":
                return _end(notes, _answered(notes, checked, "returned"))
        if asked.executor == "single_pass":
            return _end_without_return(notes, "single_pass_failed", _why_nothing(event))
        notes, message = observe_cell(self._prompts, event, notes)
        return self.after_cell(event, notes, events, message)

    def read_call(self, call: ToolCall, notes: SpatialNotes) -> CellAction:
        """Return the action of a call beside others; raise `MalformedReplyError`."""
        return read_cell_call(call, EXECUTORS[notes.opening.executor].tools)

    def request(self, notes: SpatialNotes, action: CellAction, events: StepEvents) -> tuple[SpatialNotes, Event]:
        """Return the request that runs a cell, and the notes after it."""
        primitives = add_primitives(notes.primitives, action.code)
        update = {"cell": action, "cells": notes.cells + 1, "primitives": primitives}
        return notes.model_copy(update=update), cell_request(action, events)

    def ask(self, notes: SpatialNotes, events: StepEvents, *messages: Message) -> Reaction[SpatialNotes]:  # noqa: ARG002 - an end has its own id
        """Call the model, unless its steps have run out: then the last valid answer counts."""
        asked, left = notes.opening, notes.steps_left
        if not left:
            detail = f"no accepted answer after {notes.steps} replies; allow more steps"
            return _end_without_return(notes, "steps_exhausted", detail)
        notes = notes.model_copy(update={"steps": notes.steps + 1})
        tools = EXECUTORS[asked.executor].tools if asked.executor in EXECUTORS else ()
        return Reaction(notes, with_steps_left(self._prompts, asked, messages, left), asked.model, tools=tools)


def _session_request(asked: QuestionAsked, events: StepEvents) -> QuestionSessionRequested:
    question = asked.question
    return QuestionSessionRequested(
        **events.next(),
        answer=question.answer,
        frames=question.frames,
        metadata=question.metadata,
        tools_off=asked.tools_off,
    )


def _why_nothing(event: CellCompleted) -> str:
    error = event.observation.error
    return "the cell returned no answer" if error is None else f"the cell failed: {error.type}: {error.message}"


def _answered(notes: SpatialNotes, answer: ValidAnswer, ending: Literal["returned", "last_valid"]) -> QuestionAnswered:
    return QuestionAnswered(
        **answering(notes.opening, "spatial-agent"),
        answer=answer,
        ending=ending,
        steps=notes.steps,
        primitives=notes.primitives,
    )


def _end_without_return(notes: SpatialNotes, reason: QuestionFailureReason, detail: str) -> Reaction[SpatialNotes]:
    """End the run with the last valid answer, or else without one."""
    if notes.valid_answer is None:
        return _fail(notes, reason, detail)
    return _end(notes, _answered(notes, notes.valid_answer, "last_valid"))


def _fail(
    notes: SpatialNotes, reason: QuestionFailureReason, detail: str, *, is_refusal: bool = False
) -> Reaction[SpatialNotes]:
    failed = QuestionFailed(
        **answering(notes.opening, "spatial-agent"), reason=reason, detail=detail, is_refusal=is_refusal
    )
    return _end(notes, failed)


def _end(notes: SpatialNotes, end: QuestionAnswered | QuestionFailed) -> Reaction[SpatialNotes]:
    return Reaction(notes.model_copy(update={"ended": True}), decided=(end,))
