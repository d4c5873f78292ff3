"""Conversations as rows that training libraries read, each field with its origin and licence."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, Literal, NamedTuple

from contracts.model import Model
from pydantic import JsonValue

from cli.export.redaction import Redaction
from cli.export.rows import ChatImage, ChatMessage, ChatToolCall, ConversationRow

Split = Literal["train", "validation", "test"]
OURS = "Apache-2.0"
MODELS = "terms of the model's provider; Apache-2.0 for `offline`"
AUTHORS = "Apache-2.0 for the built-in suite; else as its author says"


class Origin(NamedTuple):
    """Where the values of a field come from, and under which licence they may be used."""

    source: str
    licence: str


_CONVERSATION = Origin(
    "system: prompt files; user and tool: kernel, workbenches, physics and the benchmark's text; assistant: the model",
    f"{OURS}; assistant: {MODELS}; benchmark: {AUTHORS}",
)
_BENCHMARK = Origin("the request of the run", AUTHORS)
_REQUEST = Origin("the request of the run", OURS)
_REWARD = Origin("physics: 1 if it proved the delivered design, else 0", OURS)
_TOOLS = Origin("the role's schemas in this version; the log has only the calls", OURS)
_PICTURES = Origin("rendered by kernel and physics", f"{OURS}; what they show: as the assistant's designs")


class PictureReference(Model):
    """A picture of a conversation: a file of this folder, named by its digest."""

    file: str
    caption: str


class TrainingMessage(Model):
    """A message of a conversation."""

    role: str
    content: str
    tool_calls: tuple[dict[str, JsonValue], ...] | None = None
    """As chat completions have them; arguments are an object for TRL, JSON text for verifiers."""
    tool_call_id: str | None = None
    name: str | None = None
    """Of an answer: the tool."""


class TrlExample(Model):
    """A conversation with tools in the columns that TRL reads: https://huggingface.co/docs/trl/dataset_formats."""

    messages: Annotated[tuple[TrainingMessage, ...], _CONVERSATION]
    tools: Annotated[str, _TOOLS]
    """JSON: a list of function schemas."""
    reward: Annotated[float, _REWARD]
    pictures: Annotated[tuple[PictureReference, ...], _PICTURES]
    family: Annotated[str, _BENCHMARK]
    """The benchmark, whose worlds are all in one split."""
    seed: Annotated[int, _REQUEST]
    role: Annotated[str, _REQUEST]
    model: Annotated[str, _REQUEST]
    run_id: Annotated[str, _REQUEST]


class VerifiersRollout(Model):
    """A scored rollout in the columns of verifiers: https://docs.primeintellect.ai/verifiers/environments."""

    example_id: Annotated[int, _REQUEST]
    """Equal for rollouts of one role in one world."""
    task: Annotated[str, _BENCHMARK]
    """The benchmark, whose worlds are all in one split."""
    prompt: Annotated[tuple[TrainingMessage, ...], _CONVERSATION]
    completion: Annotated[tuple[TrainingMessage, ...], _CONVERSATION]
    """From the first reply on, with the answers of tools."""
    answer: Annotated[str, _REWARD] = ""
    """Empty: physics judges, no text is the right one."""
    reward: Annotated[float, _REWARD]
    info: Annotated[str, _PICTURES]
    """JSON: run_id, seed, role, model, pictures and tools (origins: as the columns of the same names for TRL)."""


def split_of(family: str) -> Split:
    """Return the split of all worlds of a benchmark; it depends on the name alone, so that exports agree."""
    match sha256(family.encode()).digest()[0] % 10:
        case 0:
            return "test"
        case 1:
            return "validation"
        case _:
            return "train"


def cleaned(row: ConversationRow, redaction: Redaction) -> ConversationRow:
    """Return a conversation without secrets and paths; reasoning blocks of providers are left out."""
    messages = tuple(_cleaned(each, redaction) for each in row.messages)
    return row.model_copy(update={"messages": messages})


def trl_example(row: ConversationRow, reward: float) -> TrlExample:
    """Return a cleaned conversation for TRL."""
    return TrlExample(
        messages=_messages(row, json.loads),
        tools=row.tools,
        reward=reward,
        pictures=_pictures(row),
        family=row.benchmark,
        seed=row.seed,
        role=row.role,
        model=row.model,
        run_id=str(row.run_id),
    )


def verifiers_rollout(row: ConversationRow, reward: float) -> VerifiersRollout:
    """Return a cleaned conversation for verifiers."""
    messages = _messages(row, str)
    begin = next(n for n, each in enumerate(messages) if each.role == "assistant")
    world = f"{row.benchmark} {row.seed} {row.role}"
    info = {"run_id": str(row.run_id), "seed": row.seed, "role": row.role, "model": row.model}
    pictures = [each.model_dump() for each in _pictures(row)]
    return VerifiersRollout(
        example_id=int.from_bytes(sha256(world.encode()).digest()[:6]),
        task=row.benchmark,
        prompt=messages[:begin],
        completion=messages[begin:],
        reward=reward,
        info=json.dumps(info | {"pictures": pictures, "tools": json.loads(row.tools)}, ensure_ascii=False),
    )


def file_of(image: ChatImage) -> str:
    """Return where an export has a picture."""
    return f"pictures/{image.sha256}.{image.media_type.removeprefix('image/')}"


def _cleaned(message: ChatMessage, redaction: Redaction) -> ChatMessage:
    calls = [call.model_dump() for call in message.tool_calls]
    for call in calls:
        call["function"]["arguments"] = redaction.clean_json(call["function"]["arguments"] or "{}")
    images = [each.model_dump() | {"caption": redaction.clean(each.caption)} for each in message.images]
    content = redaction.clean(message.content)
    return message.model_copy(update={"content": content, "tool_calls": calls, "images": images, "reasoning": ()})


def _content(message: ChatMessage) -> str:
    """Return the text with each picture as a reference in Markdown."""
    pictures = [f"![{each.caption}]({file_of(each)})" for each in message.images]
    return "\n\n".join(filter(None, [message.content, *pictures]))


def _pictures(row: ConversationRow) -> tuple[PictureReference, ...]:
    images = [image for each in row.messages for image in each.images]
    return tuple(PictureReference(file=file_of(each), caption=each.caption) for each in images)


def _messages(row: ConversationRow, arguments: Callable[[str], JsonValue]) -> tuple[TrainingMessage, ...]:
    names = {call.id: call.function.name for each in row.messages for call in each.tool_calls}
    return tuple(
        TrainingMessage(
            role=each.role,
            content=_content(each),
            tool_calls=tuple(_call(call, arguments) for call in each.tool_calls) or None,
            tool_call_id=each.tool_call_id,
            name=names.get(each.tool_call_id or ""),
        )
        for each in row.messages
    )


def _call(call: ChatToolCall, arguments: Callable[[str], JsonValue]) -> dict[str, JsonValue]:
    function = {"name": call.function.name, "arguments": arguments(call.function.arguments)}
    return {"id": call.id, "type": call.type, "function": function}
