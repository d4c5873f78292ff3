"""Skill-learner's part: read the run's log, and write down what failed and then worked."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from agent.journal.reader import journal_of
from agent.loop.prompts import Prompts
from agent.loop.role import Decision, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import BaseModel

from skill_learner.journal_excerpts import written_down
from skill_learner.lessons import find_lessons, lessons_markdown
from skill_learner.skill import Skill, read_skill
from skill_learner.skill_store import FOR_ROLE, Kept


class History(Protocol):
    """The log, as far as learning needs it."""

    async def history(self, run_id: UUID) -> list[Event]:
        """Return every event of the run, in order."""
        ...


class Keeper(Protocol):
    """Where skills are kept."""

    async def keep(self, skill: Skill, run_id: UUID) -> Kept:
        """Keep the skill; twice is once."""
        ...


class LearnerNotes(Model):
    """What skill-learner keeps of a run."""

    request: RunSucceeded | None = None
    model: str = ""


class SkillLearner:
    """Turns failures that were resolved into skills."""

    role: Role = "skill-learner"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[LearnerNotes] = LearnerNotes

    def __init__(self, log: History, shelf: Keeper) -> None:
        self._log = log
        self._shelf = shelf
        self._prompts = Prompts("skill_learner")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: LearnerNotes, pen: StepEvents) -> Reaction[LearnerNotes]:  # noqa: ARG002 - answers need no pen
        """Look for lessons; without any there is nothing to ask a model."""
        if isinstance(event, ReplyRejected):
            return Reaction(notes, (user_message(rejection_text(event)),), notes.model)
        if not isinstance(event, RunSucceeded):
            return Reaction(notes)
        history = await self._log.history(event.run_id)
        opened = _opening(history)
        lessons = find_lessons(history)
        if not lessons:
            detail = "no cell, preview or submission failed in this run"
            rejected = SkillRejected.answering(event, "skill-learner", reason="nothing_failed", detail=detail)
            return Reaction(LearnerNotes(request=event), decided=(rejected,))
        variant = opened.assignment.variant
        journal = journal_of(history, FOR_ROLE)
        shown = self._prompts.render(
            "lessons",
            benchmark=variant.benchmark,
            description=variant.description,
            journal=written_down(journal),
            lessons=lessons_markdown(lessons, journal),
        )
        says = (Message(author="system", text=self._prompts.render("system")), user_message(shown))
        return Reaction(LearnerNotes(request=event, model=opened.model), says, opened.model)

    async def on_reply(self, reply: Message, notes: LearnerNotes, pen: StepEvents) -> Decision[LearnerNotes]:  # noqa: ARG002 - as above
        """Keep the skill that the reply is."""
        assert notes.request is not None
        skill = read_skill(reply)
        kept = await self._shelf.keep(skill, notes.request.run_id)
        return Decision(notes, (_outcome(notes.request, skill, kept),))

    def give_up(self, problem: str, notes: LearnerNotes, pen: StepEvents) -> Decision[LearnerNotes]:  # noqa: ARG002 - as above
        """Learn nothing: a malformed skill would mislead whoever reads it."""
        assert notes.request is not None
        rejected = SkillRejected.answering(notes.request, "skill-learner", reason="malformed", detail=problem)
        return Decision(notes, (rejected,))


def _opening(history: Sequence[Event]) -> EngineeringRequested:
    for event in history:
        if isinstance(event, EngineeringRequested):
            return event
    raise LookupError("the log of a run that succeeded has no EngineeringRequested: was it purged?")


def _outcome(request: RunSucceeded, skill: Skill, kept: Kept) -> SkillLearned | SkillRejected:
    if not kept.is_new:
        detail = f"version {kept.version} of {skill.name} says the very same"
        return SkillRejected.answering(request, "skill-learner", reason="already_known", detail=detail)
    return SkillLearned.answering(
        request,
        "skill-learner",
        name=skill.name,
        description=skill.description,
        for_role=FOR_ROLE,
        version=kept.version,
        digest=kept.skill_md.sha256,
        skill_md=kept.skill_md,
    )
