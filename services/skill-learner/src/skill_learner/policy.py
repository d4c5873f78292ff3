"""Policy of the skill-learner: it reads a run's event log and writes a skill about what failed and then worked."""

from collections.abc import Sequence

from agent.journal.reader import journal_of
from agent.loop.role import Decision, Prompts, Reaction, StepEvents, rejection_text
from agent.model.messages import user_message
from chassis.bus import Bus
from contracts.envelope import Event, Role
from contracts.events.conversation import ReplyRejected
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.events.skill import SkillLearned, SkillRejected
from contracts.model import Model
from contracts.models.conversation import Message
from pydantic import BaseModel

from skill_learner.lessons import find_lessons, journal_lines, lessons_markdown
from skill_learner.skills import FOR_ROLE, Skill, SkillStore, StoredSkill, read_skill


class LearnerNotes(Model):
    """The skill-learner's notes on a run."""

    request: RunSucceeded | None = None
    model: str = ""


class SkillLearner:
    """Turns failures that were resolved into skills."""

    role: Role = "skill-learner"
    tools: Sequence[type[BaseModel]] = ()
    notes_class: type[LearnerNotes] = LearnerNotes

    def __init__(self, bus: Bus, skills: SkillStore) -> None:
        self._bus = bus
        self._skills = skills
        self._prompts = Prompts("skill_learner")
        self.prompt_digest = self._prompts.digest

    async def on_event(self, event: Event, notes: LearnerNotes, events: StepEvents) -> Reaction[LearnerNotes]:  # noqa: ARG002 - an outcome has its own id
        """Look for lessons; without any no model is called."""
        if isinstance(event, ReplyRejected):
            return Reaction(notes, (user_message(rejection_text(event)),), notes.model)
        if not isinstance(event, RunSucceeded):
            return Reaction(notes)
        if not event.result.is_proven:
            return Reaction(LearnerNotes(request=event), decided=(_not_proven(event),))
        history = await self._bus.history(event.run_id)
        opening = _opening_of(history)
        lessons = find_lessons(history)
        if not lessons:
            detail = "no cell, preview or submission failed in this run"
            rejected = SkillRejected.answering(event, "skill-learner", reason="nothing_failed", detail=detail)
            return Reaction(LearnerNotes(request=event), decided=(rejected,))
        variant = opening.assignment.variant
        journal = journal_of(history, FOR_ROLE)
        task = self._prompts.render(
            "lessons",
            benchmark=variant.benchmark,
            description=variant.description,
            journal=journal_lines(journal),
            lessons=lessons_markdown(lessons, journal),
        )
        messages = (Message(author="system", text=self._prompts.render("system")), user_message(task))
        return Reaction(LearnerNotes(request=event, model=opening.model), messages, opening.model)

    async def on_reply(self, reply: Message, notes: LearnerNotes, events: StepEvents) -> Decision[LearnerNotes]:  # noqa: ARG002 - as above
        """Store the reply's skill."""
        assert notes.request is not None
        skill = read_skill(reply)
        stored = await self._skills.store(skill, notes.request.run_id)
        return Decision(notes, (_outcome(notes.request, skill, stored),))

    def give_up(self, problem: str, notes: LearnerNotes, events: StepEvents) -> Decision[LearnerNotes]:  # noqa: ARG002 - as above
        """Learn nothing: a malformed skill would mislead its readers."""
        assert notes.request is not None
        rejected = SkillRejected.answering(notes.request, "skill-learner", reason="malformed", detail=problem)
        return Decision(notes, (rejected,))


def _opening_of(history: Sequence[Event]) -> EngineeringRequested:
    for event in history:
        if isinstance(event, EngineeringRequested):
            return event
    raise LookupError("the log of a run that succeeded has no EngineeringRequested: was it purged?")


def _not_proven(success: RunSucceeded) -> SkillRejected:
    """Return the outcome for a run, such as one of an old log, whose design the simulation has not proven."""
    result = success.result
    detail = f"physics has not proven the delivered design: it is {result.verdict} and {result.stability}"
    return SkillRejected.answering(success, "skill-learner", reason="not_proven", detail=detail)


def _outcome(request: RunSucceeded, skill: Skill, stored: StoredSkill) -> SkillLearned | SkillRejected:
    if not stored.is_new:
        detail = f"version {stored.version} of {skill.name} has the same text"
        return SkillRejected.answering(request, "skill-learner", reason="already_known", detail=detail)
    return SkillLearned.answering(
        request,
        "skill-learner",
        name=skill.name,
        description=skill.description,
        for_role=FOR_ROLE,
        version=stored.version,
        digest=stored.skill_md.sha256,
        skill_md=stored.skill_md,
    )
