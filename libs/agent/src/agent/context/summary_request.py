"""The question by which a model sums up the oldest steps of a conversation that its window cannot hold.

The words are those of LangChain's `SummarizationMiddleware`. The middleware itself works inside LangChain's own agent
loop, where it replaces messages; here nothing of the record is replaced, and the call is recorded like any other.
"""

from collections.abc import Sequence
from hashlib import sha256

from contracts.models.conversation import Condensed, Message

from agent.context.prompt_renderer import RULE
from agent.context.stand_ins import Memories, Summary, entries_within
from agent.context.steps import steps_of
from agent.context.token_estimate import BYTES_PER_TOKEN
from agent.model.messages import user_message

_SHARE = 0.5
"""Of the budget: for what is to be summed up."""
_LEAST_CHARS = 200
_HEAD_CHARS = 4_000


def prompt_digest() -> str:
    """Return the digest of the words in use."""
    return sha256(_words_of_langchain().encode()).hexdigest()


def question_about(messages: Sequence[Message], memories: Memories, last_step: int, budget_tokens: int) -> Message:
    """Return what a model is asked, so that its reply can stand for all steps up to the last one."""
    head, steps = steps_of(messages)
    known = memories.summary.steps
    new = steps[known:last_step]
    said = [(step.number, each) for step in new for each in (step.shortened_reply, *step.shortened_answers)]
    chars = max(_LEAST_CHARS, int(_SHARE * budget_tokens * BYTES_PER_TOKEN) // max(1, len(said)))
    told = [f"[{each.author}]\n{_cut(each.text, _HEAD_CHARS)}" for each in head]
    if known:
        told.append(f"[what was summed up before, of steps 1 to {known}]\n{memories.summary.text}")
    told.append("[the journal]\n" + "\n".join(line for _, line in entries_within(memories, known + 1, last_step)))
    told += [f"[step {number}, {each.author}]\n{_cut(_words(each), chars)}" for number, each in said]
    return user_message(_words_of_langchain().format(messages="\n\n".join(told)))


def with_summary(condensed: Condensed, summary: Summary) -> Condensed:
    """Return the condensing in which the summary stands for its steps."""
    if condensed.recollected_steps == summary.steps:
        return condensed
    parts = ("shortened_steps", "summarised_steps", "folded_steps")
    update = {part: max(getattr(condensed, part), summary.steps) for part in parts}
    return condensed.model_copy(update={**update, "rule": RULE, "recollected_steps": summary.steps})


def _words_of_langchain() -> str:
    from langchain.agents.middleware.summarization import DEFAULT_SUMMARY_PROMPT  # noqa: PLC0415 - see above

    return DEFAULT_SUMMARY_PROMPT


def _words(message: Message) -> str:
    return "\n".join([message.text, *(f"calls {call.name} {call.arguments_json}" for call in message.tool_calls)])


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars // 2]} … {text[-chars // 2 :]}"
