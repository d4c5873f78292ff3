"""A long engineer session with large contents: 100 kB of output per cell, errors, files, variables, pictures."""

import json
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from uuid import uuid4

from agent.loop.checkpoints import MemoryCheckpoints
from agent.loop.thread import RoleThreads
from agent.model.role_model import Answer
from agent.settings import MAX_IMAGES
from artifacts.port import reference
from chassis.testing import FakeBus
from contracts.envelope import Event, answering, deciding
from contracts.events.conversation import ModelCalled
from contracts.events.plan import PlanApproved
from contracts.events.run import EngineeringRequested
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileWriteRequested,
    FileWritten,
    SessionOpened,
    SessionRequested,
)
from contracts.events.skill import SkillsOffered, SkillsRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Budget, Environment, Solid
from contracts.models.conversation import Message, ToolCall, Usage
from contracts.models.geometry import Box
from contracts.models.observation import CellError, Observation, ShownImage, Variable
from engineer.notes import EngineerNotes
from engineer.policy import Engineer

from tests.agent.answering_model import AnsweringModel
from tests.support.kernel_world import assignment

OUTPUT_CHARS = 100_000
STEPS = 60


class NoisyModel(AnsweringModel):
    """Writes long cells, and a long file at each fifth reply; keeps what it was sent."""

    def __init__(self, budget_tokens: int | None, most_images: int) -> None:
        super().__init__()
        self._budget_tokens = budget_tokens
        self._most_images = most_images

    def prompt_budget_tokens(self, model: str) -> int | None:
        """Return this session's budget."""
        return self._budget_tokens

    def max_images(self, model: str) -> int:
        """Return how many pictures it takes."""
        return self._most_images

    def reply(self, messages: Sequence[Message]) -> Answer:
        """Return the next reply."""
        return Answer(_reply(len(self.prompts)), Usage())


class NoisySession:
    """An engineer at such a model, and the world's answers; each cell shows so many pictures."""

    def __init__(self, budget_tokens: int | None, pictures: int = 0, most_images: int = MAX_IMAGES) -> None:
        self.bus = FakeBus()
        self.model = NoisyModel(budget_tokens, most_images)
        self._pictures = pictures
        self._forget()

    def _forget(self) -> None:
        self.threads: RoleThreads[EngineerNotes] = RoleThreads(Engineer(), self.model, self.bus, MemoryCheckpoints())

    @property
    def calls(self) -> list[ModelCalled]:
        """What the log says of the model's calls."""
        return [event for event in self.bus.events if isinstance(event, ModelCalled)]

    async def run(self, steps: int = STEPS, *, forgetful: bool = False, output_chars: int = OUTPUT_CHARS) -> None:
        """Let the session make `steps` calls; if forgetful, repeat each event after the threads lost their memory."""
        (requested,) = await self._deliver(_plan_approved(Budget(max_steps=steps)))
        assert isinstance(requested, SkillsRequested)
        (session,) = await self._deliver(SkillsOffered(**answering(requested, "skill-learner"), skills=()))
        assert isinstance(session, SessionRequested)
        event: Event = SessionOpened(**answering(session, "cad-worker"), ready_s=0.1, files=("script.py",))
        for number in range(1, steps + 1):
            decided = await self._deliver(event)
            if forgetful:
                self._forget()
                assert [each.id for each in await self.threads.advance(event)] == [each.id for each in decided]
            event = self._outcome(decided[-1], number, output_chars)

    async def _deliver(self, event: Event) -> list[Event]:
        await self.bus.publish(event)
        return await self.threads.advance(event)

    def _outcome(self, request: Event, number: int, output_chars: int) -> Event:
        if isinstance(request, FileWriteRequested):
            digest, size = sha256(request.text.encode()).hexdigest(), len(request.text)
            return FileWritten(**answering(request, "cad-worker"), path=request.path, size_bytes=size, sha256=digest)
        assert isinstance(request, CellRequested)
        seen = _observation(number, output_chars).model_copy(update={"images": _shown(number, self._pictures)})
        simulated = number % 7 == 0
        return CellCompleted(
            **answering(request, "cad-worker"),
            observation=seen,
            simulations=int(simulated),
            simulated_md=f"**FAILED**: run {number} missed the goal" if simulated else "",
        )


def _plan_approved(budget: Budget) -> PlanApproved:
    """Return the approval of a plan in a fresh run."""
    run_id = uuid4()
    given = assignment(_blob("environment.py", "text/x-python"))
    asked = EngineeringRequested(
        id=run_id, run_id=run_id, role="planner", producer="cli", assignment=given, budget=budget, model="noisy"
    )
    around = Box(min_mm=(-200, -200, -10), max_mm=(200, 200, 0))
    environment = Environment(
        digest=sha256(b"environment").hexdigest(),
        brep=_blob("environment.brep", "application/octet-stream"),
        step=_blob("environment.step", "model/step"),
        glb=_blob("environment.glb", "model/gltf-binary"),
        solids=(Solid(label="floor", box=around),),
    )
    return PlanApproved(
        **deciding(asked, "planner", 700),
        assignment=given,
        budget=budget,
        model="noisy",
        environment=environment,
        plan_md="# Plan\n\nA plate with a rim.\n",
        todo_md="# TODO\n\n- [ ] T1: plate\n",
        review_md="mind the rim",
    )


def _blob(name: str, media_type: str) -> ArtifactRef:
    return reference(name.encode(), media_type)


def _reply(number: int) -> Message:
    if number % 5 == 0:
        arguments = json.dumps({"path": "script.py", "text": f"# version {number}\n" + "box = Box(1, 2, 3)\n" * 300})
        call = ToolCall(call_id=f"call-{number}", name="write_file", arguments_json=arguments)
        return Message(author="assistant", text=f"version {number}", tool_calls=(call,))
    code = "\n".join(f"part_{number}_{line} = Box({line}, 2, 3)  # line {line}" for line in range(1, 61))
    sections = {"Purpose": f"try {number}", "Reasoning": "so far so good", "Next goal": "go on"}
    text = "\n\n".join(f"## {name}\n\n{words}" for name, words in sections.items())
    return Message(author="assistant", text=f"{text}\n\n## Code\n\n```python\n{code}\n```")


def _shown(number: int, pictures: int) -> tuple[ShownImage, ...]:
    """Return pictures as large as a kernel's may be."""
    names = [f"picture-{number * pictures + index}" for index in range(pictures)]
    return tuple(_picture(f"view {number}-{index}", name) for index, name in enumerate(names))


def _picture(label: str, name: str) -> ShownImage:
    artifact = reference(label.encode(), "image/png")
    return ShownImage(label=label, artifact=artifact, width_px=1024, height_px=1024, id=name)


def _observation(number: int, output_chars: int) -> Observation:
    random = Random(number)
    output = "".join(f"{random.random()}\n" for _ in range(output_chars // 20))
    error = CellError(type="ValueError", message=f"trouble {number}\n" + "x" * 5000, line=7, traceback="y" * 5000)
    names = [f"part_{number}_{index}" for index in range(40)]
    return Observation(
        status="error" if number % 4 == 0 else "ok",
        output=f"begin {number}\n{output}",
        output_chars=len(output),
        error=error if number % 4 == 0 else None,
        variables=tuple(Variable(name=name, type="Part", summary="z" * 200, change="new") for name in names),
    )
