"""Model calls, and the conversation of each role of a run with its model."""

from collections.abc import Iterator

from contracts.envelope import Event
from contracts.events.conversation import ModelCalled, ReplyLost, ReplyRejected, ToolAnswered
from contracts.models.conversation import Usage
from sqlalchemy import Index

from store.read_models.bulk_insert import Value
from store.read_models.columns import (
    Merge,
    count_column,
    decimal_column,
    event_columns,
    exact,
    id_column,
    number_column,
    short,
    spent,
    sum_column,
    table,
    text_column,
    time_column,
    whole_column,
)
from store.read_models.row import Projections, Row

MODEL_CALLS = table(
    "model_calls",
    *event_columns(),
    whole_column("sequence", required=True),
    whole_column("step", required=True),
    *(text_column(name, required=True) for name in ("purpose", "model", "ending", "prompt_digest")),
    time_column("occurred_at"),
    *(
        whole_column(name, required=True)
        for name in ("new_messages", "images", "tool_calls", "prompt_tokens", "input_tokens", "cached_input_tokens")
    ),
    whole_column("output_tokens", required=True),
    number_column("duration_s"),
    decimal_column("cost_usd"),
    id_column("cause_id"),
    indexes=(Index(None, "run_id", "sequence"),),
)
"""`cause_id`: the event that caused the step; the requests that the role decided on in it have the same one."""

CONVERSATIONS = table(
    "conversations",
    id_column("run_id"),
    text_column("role"),
    text_column("model"),
    *(
        count_column(name)
        for name in ("calls", "rejected_replies", "lost_replies", "tool_answers", "input_tokens", "cached_input_tokens")
    ),
    count_column("output_tokens"),
    *(sum_column(name) for name in ("cost_usd", "duration_s")),
    count_column("unpriced_calls"),
    whole_column("last_step", Merge.LATEST),
    time_column("first_at", Merge.EARLIEST),
    time_column("last_at", Merge.LATEST),
    key=("run_id", "role"),
)


def _called(event: ModelCalled, sequence: int) -> Iterator[Row]:
    usage, new = event.usage, event.new_messages
    cost_usd = usage.cost_usd
    yield Row(
        MODEL_CALLS,
        {
            "id": event.id,
            "run_id": event.run_id,
            "role": event.role,
            "sequence": sequence,
            "step": event.step,
            "purpose": event.purpose,
            "model": short(event.model),
            "ending": event.ending,
            "prompt_digest": event.prompt_digest,
            "occurred_at": event.occurred_at,
            "new_messages": len(new),
            "images": sum(len(message.images) for message in new),
            "tool_calls": len(event.reply.tool_calls),
            "prompt_tokens": event.prompt_tokens,
            "input_tokens": usage.input_tokens,
            "cached_input_tokens": usage.cached_input_tokens,
            "output_tokens": usage.output_tokens,
            "duration_s": usage.duration_s,
            "cost_usd": None if cost_usd is None else exact(cost_usd),
            "cause_id": event.causation_id,
        },
    )
    yield _conversation(event, model=short(event.model), calls=1, last_step=event.step, **_used(usage))


def _lost(event: ReplyLost, _: int) -> Iterator[Row]:
    yield _conversation(event, lost_replies=1, last_step=event.step, **_used(event.usage))


def _rejected(event: ReplyRejected, _: int) -> Iterator[Row]:
    yield _conversation(event, rejected_replies=1)


def _answered(event: ToolAnswered, _: int) -> Iterator[Row]:
    yield _conversation(event, tool_answers=1)


def _conversation(event: Event, **values: Value) -> Row:
    times: dict[str, Value] = {"first_at": event.occurred_at, "last_at": event.occurred_at}
    return Row(CONVERSATIONS, {"run_id": event.run_id, "role": event.role, **times, **values})


def _used(usage: Usage) -> dict[str, Value]:
    return {**spent(usage), "duration_s": exact(usage.duration_s)}


PROJECTIONS: Projections = {
    ModelCalled: _called,
    ReplyLost: _lost,
    ReplyRejected: _rejected,
    ToolAnswered: _answered,
}
