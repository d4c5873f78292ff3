"""Tests that a learned skill avoids a failure in a later run, and only if it is offered."""

import re
from collections.abc import Sequence

from agent.model.providers import offline_chat
from agent.model.role_model import Answer, RoleModel
from artifacts.testing import FakeArtifacts
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.conversation import ToolAnswered
from contracts.events.plan import PlanApproved
from contracts.events.run import RunSucceeded
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileViewed,
    FileViewRequested,
    SessionOpened,
    SessionRequested,
)
from contracts.events.skill import SkillLearned, SkillsOffered, SkillsRequested
from contracts.models.conversation import Message, ToolCall, Usage
from contracts.models.observation import CellError, Observation
from contracts.skills import OfferedSkill
from engineer.policy import Engineer

from tests.agent.answering_model import AnsweringModel
from tests.agent.role_harness import engineering_requested, threads_of
from tests.contracts import example_values as values
from tests.engineer.engineer_harness import cell_reply
from tests.skill_learner.learner_harness import learner_on

ERROR = "radius must be positive"
BAD, GOOD, DONE = "leg = Cylinder(-1, 90)", "leg = Box(10, 10, 90)", "submit_for_review(leg)"


class ReadingModel(AnsweringModel):
    """Knows only what it has read: without the text of the fix it makes the mistake first."""

    def reply(self, messages: Sequence[Message]) -> Answer:
        """Open a listed skill; write code that is known to work; fix what failed; submit."""
        read = "\n".join(message.text for message in messages if message.author != "assistant")
        replies = "\n".join(message.text for message in messages if message.author == "assistant")
        offered = re.search(r"^- `(detour-[a-z-]+)` \(learned, v\d+\):", messages[1].text, re.MULTILINE)
        opened = any(message.tool_calls for message in messages)
        if offered and not opened:
            arguments = f'{{"path": "skills/{offered[1]}/SKILL.md"}}'
            call = ToolCall(call_id="c-1", name="view_file", arguments_json=arguments)
            return Answer(Message(author="assistant", text="", tool_calls=(call,)), Usage())
        knows = ERROR in read
        code = DONE if GOOD in replies else GOOD if knows else BAD
        purpose = {BAD: "build a leg", GOOD: "build a leg from a box", DONE: "hand in"}[code]
        return Answer(Message(author="assistant", text=cell_reply(code, purpose=purpose)), Usage())


class Episode:
    """An engineer's run from plan to submission."""

    def __init__(self, skills: tuple[OfferedSkill, ...] = (), text: str = "") -> None:
        self.bus, self.request = FakeBus(), engineering_requested()
        self._threads = threads_of(Engineer(), ReadingModel(), self.bus)
        self._skills, self._text = skills, text

    async def run(self) -> int:
        """Return how often the cells met the error."""
        await self.bus.publish(self.request)
        event: Event | None = PlanApproved(
            **deciding(self.request, "planner", 700),
            assignment=self.request.assignment,
            budget=self.request.budget,
            model="scripted",
            environment=values.ENVIRONMENT,
            plan_md=values.PLAN,
            todo_md=values.TODO,
            review_md="",
        )
        while event is not None:
            await self.bus.publish(event)
            decided = await self._threads.advance(event)
            event = self._answer(decided[-1])
        seen = [event.observation for event in self.bus.events if isinstance(event, CellCompleted)]
        return sum(each.error is not None and each.error.message == ERROR for each in seen)

    def _answer(self, request: Event) -> Event | None:
        match request:
            case SkillsRequested():
                return SkillsOffered(**answering(request, "skill-learner"), skills=self._skills)
            case SessionRequested():
                return SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=("script.py",))
            case FileViewRequested(path=path):
                lines = len(self._text.splitlines())
                return FileViewed(
                    **answering(request, "cad-worker"), path=path, text=self._text, from_line=1, total_lines=lines
                )
            case CellRequested(code=code):
                failed = CellError(type="ValueError", message=ERROR) if code.strip() == BAD else None
                seen = Observation(status="error" if failed else "ok", error=failed)
                ending = values.SUBMISSION if code.strip() == DONE else None
                return CellCompleted(**answering(request, "cad-worker"), observation=seen, ending=ending)
            case _:
                return None  # DesignSubmitted


async def _learned(episode: Episode, artifacts: FakeArtifacts) -> SkillLearned:
    """Let the offline expert learn from an episode that succeeded."""
    success = RunSucceeded(
        **answering(episode.request, "planner"), delivery=values.DELIVERY, bill=values.BILL, result=values.RESULT
    )
    await episode.bus.publish(success)
    threads = threads_of(learner_on(episode.bus, artifacts), RoleModel(lambda _: offline_chat()), episode.bus)
    outcome = await threads.answer(success)
    assert isinstance(outcome, SkillLearned)
    return outcome


async def test_learned_skill_avoids_the_error_in_a_later_run() -> None:
    first, artifacts = Episode(), FakeArtifacts()
    assert await first.run() == 1
    learned = await _learned(first, artifacts)
    text = (await artifacts.get(learned.skill_md)).decode()
    assert ERROR in text
    assert "build a leg from a box" in text
    offered = OfferedSkill(
        name=learned.name, description=learned.description, version=learned.version, skill_md=learned.skill_md
    )
    assert await Episode((offered,), text).run() == 0
    assert await Episode((offered,), "a skill without the fix").run() == 1, "it is the text that helps"
    assert await Episode().run() == 1, "and only where it is offered"


async def test_learner_reads_the_cells_that_prove_a_lesson() -> None:
    episode = Episode()
    await episode.run()
    learned = await _learned(episode, FakeArtifacts())
    answers = [event.answer_md for event in episode.bus.events if isinstance(event, ToolAnswered)]
    assert any("build a leg from a box" in answer for answer in answers)
    proven = {event.id: event for event in episode.bus.events if event.id in {each.evidence for each in learned.claims}}
    assert {type(event).__name__ for event in proven.values()} == {"CellCompleted"}
