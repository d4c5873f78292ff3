"""Policy of the skill-learner: it reads a run step by step, and proposes one change of one skill."""

from collections.abc import Sequence
from uuid import UUID

from agent.journal.entries import one_line
from agent.loop.replies import MalformedReplyError
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.loop.tool_calls import read_arguments, require_few_calls
from agent.model.messages import user_message
from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected, ToolAnswered
from contracts.events.run import RunSucceeded
from contracts.events.skill import LearningRequested
from contracts.models.conversation import Message
from documents.shipped_skills import ALL_SKILLS
from documents.skill_folders.frontmatter import split_skill
from pydantic import BaseModel

from skill_learner.actions import LearnerActions
from skill_learner.lessons import Lesson, find_lessons, find_repeated
from skill_learner.library import SkillLibrary
from skill_learner.notes import LearnerNotes, rejected
from skill_learner.proposals.trial_requests import TrialPlans
from skill_learner.record.budget import tokens_of
from skill_learner.record.run_record import RunSource, short
from skill_learner.settings import LearningLimits
from skill_learner.tools import SIGNATURES, TOOLS
from skill_learner.trials.trial_runs import HELD_OUT_FROM

GUIDE = "skill-creator"
"""The shipped skill that says how a change is found and written."""
RECORDS_KEPT = 4


class SkillLearner:
    """Turns failures that were resolved into changes of skills."""

    role: Role = "skill-learner"
    tools: Sequence[type[BaseModel]] = TOOLS
    notes_class: type[LearnerNotes] = LearnerNotes

    def __init__(self, bus: Bus, library: SkillLibrary, limits: LearningLimits, trials: TrialPlans) -> None:
        self._bus = bus
        self._limits = limits
        self._actions = LearnerActions(library, trials, limits.reading_tokens)
        self._prompts = Prompts("skill_learner")
        self.prompt_digest = self._prompts.digest
        self._records: dict[UUID, RunSource] = {}

    async def on_event(self, event: Event, notes: LearnerNotes, events: StepEvents) -> Reaction[LearnerNotes]:
        """Look for lessons, without any no model is called; or answer a tool call."""
        match event:
            case ReplyRejected():
                return self._ask(notes, user_message(rejection_text(event)))
            case RunSucceeded() | LearningRequested():
                return await self._begin(event)
            case ToolAnswered() if notes.request is not None:
                return await self._answer(event, notes, events)
            case _:
                return Reaction(notes)

    async def on_reply(self, reply: Message, notes: LearnerNotes, events: StepEvents) -> Decision[LearnerNotes]:
        """Carry out the reply's first call; the others follow its answer."""
        assert notes.request is not None
        if not reply.tool_calls:
            raise MalformedReplyError(f"Call one of the tools: {SIGNATURES}.", "tool")
        require_few_calls(reply)
        arguments = [read_arguments(call, TOOLS) for call in reply.tool_calls]
        notes = notes.begin_calls(reply)
        record = await self._record(notes.request)
        notes, decided = await self._actions.carry_out(arguments[0], notes, record, events)
        return Decision(notes, decided)

    def give_up(self, problem: str, notes: LearnerNotes, events: StepEvents) -> Decision[LearnerNotes]:  # noqa: ARG002 - an outcome has its own id
        """Learn nothing: a malformed skill would mislead its readers."""
        assert notes.request is not None
        return Decision(notes, (rejected(notes.request, "malformed", problem),))

    async def _begin(self, request: RunSucceeded | LearningRequested) -> Reaction[LearnerNotes]:
        notes = LearnerNotes(request=request)
        if request.kind == "trial" and not await self._is_training(request):
            return Reaction(notes, decided=(rejected(request, "in_trial", "the run belongs to a trial of a skill"),))
        if isinstance(request, RunSucceeded) and not request.result.is_proven:
            result = request.result
            detail = f"physics has not proven the delivered design: it is {result.verdict} and {result.stability}"
            return Reaction(notes, decided=(rejected(request, "not_proven", detail),))
        record = await self._record(request)
        lessons = self._lessons(request, record)
        if len(lessons) < self._limits.min_lessons:
            detail = f"{len(lessons)} failures were resolved or repeated in this run, of {self._limits.min_lessons}"
            return Reaction(notes, decided=(rejected(request, "nothing_failed", detail),))
        return self._ask(
            notes.model_copy(update={"model": record.opening.model}),
            *self._first_messages(record, lessons, notes.skill),
        )

    async def _is_training(self, request: RunSucceeded | LearningRequested) -> bool:
        """Tell whether a run of the evolution of a skill may be read: no seed that a trial may hold out."""
        if not isinstance(request, LearningRequested) or not request.skill:
            return False
        record = await self._record(request)
        return record.opening.assignment.variant.seed < HELD_OUT_FROM

    def _lessons(self, request: RunSucceeded | LearningRequested, record: RunSource) -> tuple[Lesson, ...]:
        found = find_lessons(record.events)
        if isinstance(request, RunSucceeded):
            return found
        return (*found, *find_repeated(record.events, 1 if request.skill else self._limits.min_repeats))

    def _first_messages(self, record: RunSource, lessons: Sequence[Lesson], skill: str) -> tuple[Message, Message]:
        variant = record.opening.assignment.variant
        system = system_prompt(self._prompts)
        task = self._prompts.render(
            "run",
            benchmark=variant.benchmark,
            description=variant.description,
            entries=len(record.journal("engineer").entries),
            lessons="\n".join(_lesson_line(each) for each in lessons),
            budget=self._limits.reading_tokens,
            skill=skill,
        )
        return Message(author="system", text=system), user_message(task)

    def _ask(self, notes: LearnerNotes, *messages: Message) -> Reaction[LearnerNotes]:
        """Call the model, unless it has been called as often as it may be."""
        assert notes.request is not None
        if notes.calls_made >= self._limits.max_calls:
            detail = f"the model was called {notes.calls_made} times and proposed nothing that could be accepted"
            return Reaction(notes, decided=(rejected(notes.request, "nothing_proposed", detail),))
        read = notes.read_tokens + (sum(tokens_of(each.text) for each in messages) if not notes.calls_made else 0)
        notes = notes.model_copy(update={"calls_made": notes.calls_made + 1, "read_tokens": read})
        return Reaction(notes, messages, notes.model)

    async def _answer(self, event: ToolAnswered, notes: LearnerNotes, events: StepEvents) -> Reaction[LearnerNotes]:
        """Answer a call, and carry out the next one of the same reply; after the last, or a failure, ask."""
        assert notes.request is not None
        notes, answer = notes.answer(event.answer_md)
        if notes.waiting_calls and not event.has_failed:
            notes = notes.begin_next_call()
            assert notes.open_call is not None
            arguments = read_arguments(notes.open_call, TOOLS)
            record = await self._record(notes.request)
            notes, decided = await self._actions.carry_out(arguments, notes, record, events)
            return Reaction(notes, (answer,), decided=decided)
        notes, others = notes.end_calls("failed")
        return self._ask(notes, answer, *others)

    async def _record(self, request: RunSucceeded | LearningRequested | None) -> RunSource:
        """Return the record of a run. It has ended, so that what it reads does not change."""
        assert request is not None
        if request.run_id not in self._records:
            for run_id in list(self._records)[: -RECORDS_KEPT + 1]:
                del self._records[run_id]
            self._records[request.run_id] = RunSource(await self._bus.history(request.run_id))
        return self._records[request.run_id]


def system_prompt(prompts: Prompts) -> str:
    """Return the system prompt with the shipped guide."""
    guide = ALL_SKILLS[GUIDE].files[f"skills/{GUIDE}/SKILL.md"].decode()
    return prompts.render("system", guide=split_skill(guide)[1].strip(), tools=SIGNATURES)


def _lesson_line(lesson: Lesson) -> str:
    evidence = ", ".join(filter(None, [short(lesson.failed_by), short(lesson.proven_by)]))
    cost = f"{lesson.times} times, {lesson.steps_lost} steps"
    fixed = f"resolved by: {one_line(lesson.resolved_by, 160)}" if lesson.proven_by else "nothing resolved it"
    return f"- {lesson.kind} of the {lesson.role} ({cost}; events {evidence}): {one_line(lesson.failed, 200)} → {fixed}"
