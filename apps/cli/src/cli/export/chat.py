"""Conversations in the shape of chat-completion APIs."""

import json
from collections.abc import Iterable, Sequence

from agent.context.recorded_prompt import prompt_of_call
from agent.journal.timeline import calls_of, timeline_of
from contracts.envelope import ROLES, Event, Role
from contracts.events.conversation import ModelCalled, ReplyRejected
from contracts.models.conversation import Message, ToolCall
from critic.tool_calls import CRITIC_TOOLS
from engineer.policy import EXECUTORS
from planner.tool_calls import TOOLS_AFTER_A_REFUSAL
from pydantic import BaseModel

from cli.export.rows import (
    CallRow,
    ChatImage,
    ChatMessage,
    ChatToolCall,
    ConversationRow,
    FunctionCall,
    PreferenceRow,
    RunRow,
)


def tool_schemas(role: Role, executor: str) -> str:
    """Return the tools of a role in a run with this executor, as a JSON list of functions of chat-completion APIs."""
    return json.dumps([_function(each) for each in _tools(role, executor)], ensure_ascii=False)


def _tools(role: Role, executor: str) -> Sequence[type[BaseModel]]:
    match role:
        case "planner":
            return TOOLS_AFTER_A_REFUSAL
        case "engineer":
            return next(each.tools for name, each in EXECUTORS.items() if name == executor)
        case "critic":
            return CRITIC_TOOLS
        case _:
            return ()


def _function(tool: type[BaseModel]) -> dict[str, object]:
    schema = tool.model_json_schema()
    named = {"name": schema.pop("title"), "description": schema.pop("description", "")}
    return {"type": "function", "function": {**named, "parameters": schema}}


def call_rows(events: Sequence[Event]) -> Iterable[CallRow]:
    """Yield every model call of a run."""
    rejected = {event.causation_id: event for event in events if isinstance(event, ReplyRejected)}
    for call in events:
        if not isinstance(call, ModelCalled):
            continue
        problem = rejected.get(call.causation_id) if call.purpose == "act" else None
        yield CallRow(
            run_id=call.run_id,
            role=call.role,
            step=call.step,
            purpose=call.purpose,
            model=call.model,
            messages=chat(prompt_of_call(call, events)),
            reply=chat_message(call.reply),
            ending=call.ending,
            accepted=problem is None,
            problem="" if problem is None else problem.problem,
            input_tokens=call.usage.input_tokens,
            output_tokens=call.usage.output_tokens,
            duration_s=call.usage.duration_s,
            cost_usd=call.usage.cost_usd,
        )


def conversation_rows(events: Sequence[Event], run: RunRow) -> Iterable[ConversationRow]:
    """Yield the conversation of each role that called a model."""
    for role in ROLES:
        messages = [each.message for each in timeline_of(events, role).messages if not each.unusable]
        if messages:
            yield ConversationRow(
                run_id=run.run_id,
                role=role,
                benchmark=run.benchmark,
                seed=run.seed,
                model=_model_of(events, role),
                reward=run.reward,
                tools=tool_schemas(role, run.executor),
                messages=chat(messages),
            )


def reply_preferences(events: Sequence[Event]) -> Iterable[PreferenceRow]:
    """Yield each reply that could not be used, with the next one that could."""
    rejected = {event.causation_id: event for event in events if isinstance(event, ReplyRejected)}
    for role in ROLES:
        refused: list[ModelCalled] = []
        for call in calls_of([event for event in events if event.role == role]):
            if call.causation_id in rejected:
                refused.append(call)
                continue
            for worse in refused:
                yield PreferenceRow(
                    run_id=call.run_id,
                    role=role,
                    kind="reply",
                    prompt=chat(prompt_of_call(worse, events)),
                    chosen=as_text(call.reply),
                    rejected=as_text(worse.reply),
                    reason=rejected[worse.causation_id].problem,
                )
            refused = []


def chat(messages: Iterable[Message]) -> tuple[ChatMessage, ...]:
    """Return messages in the shape of chat-completion APIs."""
    return tuple(chat_message(each) for each in messages)


def chat_message(message: Message) -> ChatMessage:
    """Return a message in the shape of chat-completion APIs."""
    return ChatMessage(
        role=message.author,
        content=message.text,
        reasoning=message.reasoning,
        tool_calls=tuple(_tool_call(each) for each in message.tool_calls),
        tool_call_id=message.tool_call_id,
        images=tuple(ChatImage(**each.artifact.model_dump(), caption=each.caption) for each in message.images),
    )


def as_text(reply: Message) -> str:
    """Return a reply as one text: its words, then each tool call as a JSON object."""
    calls = [_tool_call(each).model_dump_json() for each in reply.tool_calls]
    return "\n".join(filter(None, [reply.text, *calls]))


def _tool_call(call: ToolCall) -> ChatToolCall:
    return ChatToolCall(id=call.call_id, function=FunctionCall(name=call.name, arguments=call.arguments_json))


def _model_of(events: Sequence[Event], role: Role) -> str:
    return next(each.model for each in events if isinstance(each, ModelCalled) and each.role == role)
