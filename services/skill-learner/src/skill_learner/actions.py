"""What the model's calls do: they read within the budget, propose a change, or end the work."""

from collections.abc import Sequence

from agent.loop.role import StepEvents
from agent.loop.tool_calls import name_of
from contracts.envelope import Event, answering
from contracts.events.conversation import ToolAnswered
from contracts.events.skill import SkillLearned
from contracts.skills import SkillClaim
from pydantic import BaseModel
from store.skills.versions import LearnedSkill

from skill_learner.library import CurrentSkill, SkillLibrary
from skill_learner.notes import LearnerNotes, rejected
from skill_learner.proposals.change import EditError, SkillChange, changed
from skill_learner.proposals.rules import problems_of
from skill_learner.proposals.trial_requests import TrialPlans
from skill_learner.record.budget import fit, tokens_of
from skill_learner.record.run_record import RecordError, RunSource
from skill_learner.settings import READERS
from skill_learner.tools import Done, ProposeChange, ReadCell, ReadJournal, ReadSkill, SearchSkills

Carried = tuple[LearnerNotes, tuple[Event, ...]]


class LearnerActions:
    """Carries calls out, one after the other."""

    def __init__(self, library: SkillLibrary, trials: TrialPlans, reading_tokens: int) -> None:
        self._library = library
        self._trials = trials
        self._reading_tokens = reading_tokens

    async def carry_out(self, call: BaseModel, notes: LearnerNotes, record: RunSource, events: StepEvents) -> Carried:
        """Return the notes after a call, and its answer, or the outcome of the run."""
        assert notes.request is not None
        match call:
            case Done():
                return notes, (rejected(notes.request, "nothing_proposed", call.reason),)
            case ProposeChange():
                return await self._propose(call, notes, record, events)
            case _:
                return await self._read(call, notes, record, events)

    async def _read(self, call: BaseModel, notes: LearnerNotes, record: RunSource, events: StepEvents) -> Carried:
        has_failed = False
        try:
            text = await self._text(call, record)
        except RecordError as error:
            text, has_failed = f"{error}.", True
        shown = fit(text, self._reading_tokens - notes.read_tokens)
        notes = notes.model_copy(update={"read_tokens": notes.read_tokens + tokens_of(shown)})
        return notes, (_answered(call, shown, events, has_failed=has_failed),)

    async def _text(self, call: BaseModel, record: RunSource) -> str:
        match call:
            case SearchSkills(words=words):
                return await self._library.search(words, READERS)
            case ReadSkill(name=name):
                text = await self._library.text(name, READERS, record.opening.skills)
                return text or f"There is no skill {name}; `search_skills` lists them."
            case ReadJournal(entry=None):
                return record.index(call.role, call.page)
            case ReadJournal(entry=int(number)):
                return record.entry(call.role, number, call.depth, call.page)
            case ReadCell(event=event):
                return record.shown(event)
            case _:
                raise TypeError(f"{type(call).__name__} reads nothing")

    async def _propose(
        self, call: ProposeChange, notes: LearnerNotes, record: RunSource, events: StepEvents
    ) -> Carried:
        """Store an accepted change and end the work; answer a refused one with every reason."""
        assert notes.request is not None
        if notes.skill not in {"", call.skill}:
            return notes, (_refused(call, [f"Change the skill {notes.skill}, which is evolved."], events),)
        owner = await self._library.owner(call.skill)
        if owner not in {None, call.for_role}:
            problem = f"The skill {call.skill} is of the {owner}; choose another name."
            return notes, (_refused(call, [problem], events),)
        base = await self._library.current(call.skill, call.for_role, record.opening.skills)
        try:
            change = changed(call.skill, call.description, base.text if base else "", call.edits)
        except EditError as error:
            return notes, (_refused(call, [str(error)], events),)
        if problems := problems_of(call, change, record):
            return notes, (_refused(call, problems, events),)
        stored = await self._library.store(change, call.description, call.for_role, base, record.opening.run_id)
        if stored.learned_from != notes.request.run_id:
            detail = f"version {stored.version} of {stored.name} has the same text; it is {stored.status}"
            return notes, (rejected(notes.request, "already_known", detail),)
        learned = _learned(call, notes, change, stored, base, record)
        return notes, (learned, *self._trials.after(learned, record))


def _learned(  # noqa: PLR0913, PLR0917 - all that the event records
    call: ProposeChange,
    notes: LearnerNotes,
    change: SkillChange,
    stored: LearnedSkill,
    base: CurrentSkill | None,
    record: RunSource,
) -> SkillLearned:
    assert notes.request is not None
    claims = tuple(SkillClaim(text=each.text, evidence=record.event(each.evidence).id) for each in call.claims)
    return SkillLearned(
        **answering(notes.request, "skill-learner"),
        name=stored.name,
        description=stored.description,
        for_role=stored.for_role,
        version=stored.version,
        digest=stored.digest,
        skill_md=stored.artifact,
        status="proposed",
        base_version=base.version.version if base else None,
        diff=change.diff,
        claims=claims,
    )


def _refused(call: ProposeChange, problems: Sequence[str], events: StepEvents) -> ToolAnswered:
    text = "Not accepted:\n\n" + "\n".join(f"- {problem}" for problem in problems)
    return _answered(call, text, events, has_failed=True)


def _answered(call: BaseModel, answer: str, events: StepEvents, *, has_failed: bool = False) -> ToolAnswered:
    arguments = call.model_dump_json(exclude_defaults=True, exclude={"edits", "claims"})
    return ToolAnswered(
        **events.next(),
        tool=name_of(type(call)),
        arguments_json=arguments,
        answer_md=answer,
        has_failed=has_failed,
    )
