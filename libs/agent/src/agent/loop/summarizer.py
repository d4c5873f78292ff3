"""Conversation summarizer: the role's model summarizes its oldest steps once a prompt has no space for them.

The model sums them up from the record, which still has their whole texts, in a form that is checked. Nothing of the
record is replaced, and the call is recorded like any other.
"""

import logging
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from uuid import UUID, uuid5

from chassis.bus import Bus
from contracts.envelope import Event, Role, caused_by
from contracts.events.conversation import ModelCalled
from contracts.models.conversation import Condensed, Message
from pydantic import BaseModel

from agent.context.budget import fit_prompt
from agent.context.prompt_renderer import RULE, split_steps
from agent.context.stand_ins import StandIns, Summary, journal_lines_within, summary_of_call
from agent.context.summary_form import PROMPT, kept_of, summary_request
from agent.loop.lost_replies import LostReplies, StepCall
from agent.loop.thread_state import ThreadState
from agent.model.failures import ModelRefusedError, PromptTooLongError
from agent.model.messages import user_message
from agent.model.role_model import RoleModel
from agent.token_estimate import BYTES_PER_TOKEN, tokens_of_messages
from agent.token_prices import add_usage

_BUDGET_SHARE = 0.7
"""Share of the prompt budget for the steps to summarize."""
_MIN_MESSAGE_CHARS = 200
_HEAD_CHARS = 4_000

_log = logging.getLogger(__name__)


class Summarizer:
    """Makes and restores summaries: at most one in each step of a thread."""

    def __init__(self, model: RoleModel, bus: Bus, role: Role) -> None:
        self._model = model
        self._bus = bus
        self._role: Role = role
        self._lost = LostReplies(bus, role)

    async def summarize_before_call(
        self,
        state: ThreadState,
        event: Event,
        messages: Sequence[Message],
        name: str,
        tools: Sequence[type[BaseModel]],
    ) -> ThreadState:
        """Return the state with a summary of the steps that the next prompt would fold, if the model `name` summarizes.

        Raises what `RoleModel.answer` raises. If the model refuses to summarize, the journal alone stands in.
        """
        budget_tokens = self._model.prompt_budget_tokens(name)
        if budget_tokens is None or not self._model.summarizes(name):
            return state
        max_images = self._model.max_images(name)
        prompt = fit_prompt(
            budget_tokens, messages, state.condensed, tools, max_images=max_images, stand_ins=state.stand_ins
        )
        last_step = prompt.condensed.folded_steps
        if last_step <= state.stand_ins.summary.steps:
            return state
        question = _summary_request(messages, state.stand_ins, last_step, budget_tokens)
        try:
            called = await self._find_or_call(state, event, question, name, last_step)
        except (ModelRefusedError, PromptTooLongError) as error:
            _log.warning("%s of run %s continues without a summary: %s", self._role, event.run_id, error)
            return state
        return _with_summary(state, called)

    async def restore(self, state: ThreadState, called: ModelCalled) -> ThreadState:
        """Return the state with the summary that this call's prompt shows."""
        if called.condensed.recollected_steps == state.stand_ins.summary.steps:
            return state
        stored = await self._bus.find(called.run_id, self._role, _call_id(called.run_id, self._role, called.step))
        return _with_summary(state, stored) if isinstance(stored, ModelCalled) else state

    async def _find_or_call(
        self, state: ThreadState, event: Event, question: Message, name: str, last_step: int
    ) -> ModelCalled:
        """Return the recorded summary call of this step; make and record it if there is none."""
        call_id = _call_id(event.run_id, self._role, state.step)
        stored = await self._bus.find(event.run_id, self._role, call_id)
        if isinstance(stored, ModelCalled):
            return stored
        ask = partial(self._model.answer, name, [question], (), event.run_id)
        answer = await self._lost.guard(StepCall(event, state.step, name, "memory"), ask)
        called = ModelCalled(
            **caused_by(event, call_id, self._role, self._role),
            model=name,
            step=state.step,
            purpose="memory",
            prompt_digest=sha256(PROMPT.encode()).hexdigest(),
            new_messages=(question,),
            condensed=state.condensed.model_copy(update={"recollected_steps": last_step}),
            prompt_tokens=tokens_of_messages([question]),
            reply=answer.reply,
            ending=answer.ending,
            usage=answer.usage,
            spent=add_usage(state.spent, answer.usage),
        )
        if await self._bus.publish(called):
            return called
        stored = await self._bus.find(event.run_id, self._role, call_id)
        return stored if isinstance(stored, ModelCalled) else called


def _with_summary(state: ThreadState, called: ModelCalled) -> ThreadState:
    summary = summary_of_call(called)
    if summary is None:
        return state.model_copy(update={"spent": called.spent})
    stand_ins = state.stand_ins.model_copy(update={"summary": summary})
    condensed = _fold_summarized(state.condensed, summary)
    return state.model_copy(update={"spent": called.spent, "stand_ins": stand_ins, "condensed": condensed})


def _fold_summarized(condensed: Condensed, summary: Summary) -> Condensed:
    """Return `condensed` with the summary in place of its steps."""
    if condensed.recollected_steps == summary.steps:
        return condensed
    fields = ("shortened_steps", "summarised_steps", "folded_steps")
    update = {field: max(getattr(condensed, field), summary.steps) for field in fields}
    return condensed.model_copy(update={**update, "rule": RULE, "recollected_steps": summary.steps})


def _call_id(run_id: UUID, role: Role, step: int) -> UUID:
    return uuid5(run_id, f"{role}:{step}:memory")


def _summary_request(messages: Sequence[Message], stand_ins: StandIns, last_step: int, budget_tokens: int) -> Message:
    """Return the message that asks for a summary of all steps up to the last one, which it shows as they were."""
    head, steps = split_steps(messages)
    summarized = stand_ins.summary.steps
    parts = [f"[{each.author}]\n{_cut(each.text, _HEAD_CHARS)}" for each in head]
    if summarized:
        parts.append(f"[what was summed up before, of steps 1 to {summarized}]\n{stand_ins.summary.text}")
    lines = [line for _, line in journal_lines_within(stand_ins, summarized + 1, last_step)]
    parts.append("[the journal]\n" + "\n".join(lines))
    new = [(step.number, each) for step in steps[summarized:last_step] for each in (step.reply, *step.answers)]
    texts = [_full_text(each) for _, each in new]
    left = int(_BUDGET_SHARE * budget_tokens * BYTES_PER_TOKEN) - sum(map(len, parts))
    chars = _longest(list(map(len, texts)), left)
    parts += [
        f"[step {number}, {each.author}]\n{_cut(text, chars)}" for (number, each), text in zip(new, texts, strict=True)
    ]
    covered = [*head, *(each for step in steps[:last_step] for each in (step.reply, *step.answers))]
    every_line = [line for _, line in journal_lines_within(stand_ins, 1, last_step)]
    return user_message(summary_request(kept_of(covered, every_line), "\n\n".join(parts)))


def _longest(lengths: Sequence[int], chars: int) -> int:
    """Return to which length texts are cut so that all together have so many characters: short ones stay whole."""
    left, count = chars, len(lengths)
    for length in sorted(lengths):
        if length * count > left:
            return max(_MIN_MESSAGE_CHARS, left // count)
        left, count = left - length, count - 1
    return max(lengths, default=_MIN_MESSAGE_CHARS)


def _full_text(message: Message) -> str:
    return "\n".join([message.text, *(f"calls {call.name} {call.arguments_json}" for call in message.tool_calls)])


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars // 2]} … {text[-chars // 2 :]}"
