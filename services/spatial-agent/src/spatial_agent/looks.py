"""Looks: a cell asks the run's vision model about images, outside the kernel and in a conversation of its own."""

from functools import partial

from agent.loop.lost_replies import LostReplies, StepCall
from agent.loop.role import Prompts
from agent.model.failures import ModelRefusedError, ModelUnavailableError, PromptTooLongError
from agent.model.messages import user_message
from agent.model.role_model import RoleModel
from agent.token_prices import NOTHING_SPENT, RULE_BASED, add_usage
from chassis.bus import Bus
from contracts.envelope import answering
from contracts.events.question import LookCompleted, LookFailed, LookFailureReason, LookRequested, QuestionAsked
from contracts.models.conversation import Message, Usage

NO_EYES = (
    "vlm is not available in this question: its model is {model!r}, which is sent no pictures. "
    "Measure with tools.* and numpy instead."
)


class Looks:
    """Answers the looks of all questions."""

    def __init__(self, models: RoleModel, bus: Bus) -> None:
        self._models = models
        self._bus = bus
        self._prompts = Prompts("spatial_agent")
        self._lost = LostReplies(bus, "spatial-agent")

    async def answer(self, request: LookRequested) -> LookCompleted | LookFailed:
        """Return what the vision model sees, or why nothing was asked."""
        asked = await self._bus.latest(QuestionAsked, request.run_id)
        if asked is None:
            return _failed(request, "no_vision_model", "this run asks no question, so that it has no vision model")
        name = self._models.resolve_name(asked.vision_model or asked.model)
        try:
            if name in RULE_BASED or self._models.max_images(name) < len(request.images):
                return _failed(request, "no_vision_model", self._why_not(name))
            return await self._ask(request, name)
        except ModelUnavailableError as error:
            return _failed(request, "model_failed", str(error))
        except (ModelRefusedError, PromptTooLongError) as error:
            return _failed(request, "refused", str(error))

    async def _ask(self, request: LookRequested, name: str) -> LookCompleted | LookFailed:
        messages = self._messages(request)
        await self._spent(request)  # what it cannot read, it meets before it pays
        ask = partial(self._models.answer, name, messages, (), request.run_id)
        answer = await self._lost.guard(StepCall(request, 0, name, f"look {request.id}"), ask)
        if answer.ending != "complete" or not answer.reply.text.strip():
            return _failed(request, "refused", f"{name} gave no whole answer ({answer.ending})")
        return LookCompleted(
            **answering(request, "spatial-agent"),
            model=name,
            messages=messages,
            text=answer.reply.text,
            usage=answer.usage,
            spent=add_usage(await self._spent(request), answer.usage),
        )

    async def _spent(self, request: LookRequested) -> Usage:
        """Return what the run's looks have used so far."""
        before = await self._bus.latest(LookCompleted, request.run_id)
        return NOTHING_SPENT if before is None else before.spent

    def _messages(self, request: LookRequested) -> tuple[Message, Message]:
        system = Message(author="system", text=self._prompts.render(f"look_{request.task}"))
        return system, user_message(request.text).model_copy(update={"images": request.images})

    def _why_not(self, name: str) -> str:
        most = 0 if name in RULE_BASED else self._models.max_images(name)
        return (
            NO_EYES.format(model=name) if most == 0 else f"{name} is sent at most {most} pictures at once; show fewer"
        )


def _failed(request: LookRequested, reason: LookFailureReason, detail: str) -> LookFailed:
    return LookFailed(**answering(request, "spatial-agent"), reason=reason, detail=detail)
