"""The rows of an export: one class per table, one field per column. Absent values are null."""

from typing import Literal
from uuid import UUID

from contracts.model import Model
from pydantic import AwareDatetime

RunOutcome = Literal["running", "succeeded", "not_proven", "failed"]
DesignOutcome = Literal["open", "invalid", "rejected", "approved"]


class FunctionCall(Model):
    """The function of a tool call."""

    name: str
    arguments: str
    """JSON, as the model wrote it."""


class ChatToolCall(Model):
    """A tool call in the shape of chat-completion APIs."""

    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class ChatImage(Model):
    """An image of a message."""

    sha256: str
    """Its artifact."""
    media_type: str
    size_bytes: int
    caption: str


class ChatMessage(Model):
    """A message in the shape of chat-completion APIs; its images are references."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    reasoning: tuple[str, ...] = ()
    """Of an assistant: the provider's reasoning blocks, in JSON."""
    tool_calls: tuple[ChatToolCall, ...] = ()
    tool_call_id: str | None = None
    images: tuple[ChatImage, ...] = ()


class RunRow(Model):
    """`runs`: one row for each run."""

    run_id: UUID
    benchmark: str
    seed: int
    level: int
    executor: str
    model: str
    quantity: int
    started_at: AwareDatetime
    ended_at: AwareDatetime | None
    outcome: RunOutcome
    reason: str
    """Why it failed, as a word of the contracts; empty if it did not."""
    detail: str
    reward: float | None
    """1 if physics proved the design, 0 if not; null while the run goes on."""
    success_rate: float | None
    unit_price_usd: float | None
    mass_kg: float | None
    parts: int | None
    price_share: float | None
    """Price as a share of its limit; null without a limit."""
    mass_share: float | None
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """Null if the price of a model is unknown."""


class LogRow(Model):
    """`events`: every event, in the order of its run's log."""

    run_id: UUID
    number: int
    """From 1."""
    id: UUID
    type: str
    role: str
    producer: str
    causation_id: UUID | None
    occurred_at: AwareDatetime
    body: str
    """The whole event as JSON, long texts included."""


class CallRow(Model):
    """`calls`: every model call, with the prompt as it was sent."""

    run_id: UUID
    role: str
    step: int
    purpose: str
    model: str
    messages: tuple[ChatMessage, ...]
    reply: ChatMessage
    ending: str
    accepted: bool
    """Whether the reply could be used."""
    problem: str
    """Why it could not be used."""
    input_tokens: int
    output_tokens: int
    duration_s: float
    cost_usd: float | None


class CellRow(Model):
    """`cells`: every cell that ran in a kernel."""

    run_id: UUID
    role: str
    number: int
    """Within run and role, from 1."""
    purpose: str
    code: str
    status: str
    """As the observation has it; `unfinished` without one."""
    output: str
    error: str
    """Type and message; empty without an error."""
    error_line: int | None
    elapsed_s: float | None
    simulations: int


class DesignRow(Model):
    """`designs`: every submission, with what came of it."""

    run_id: UUID
    number: int
    """Within the run, from 1."""
    digest: str
    outcome: DesignOutcome
    problems: tuple[str, ...]
    """Violated rules of an invalid design, or the review of a rejected one."""
    verdict: str
    stability: str
    success_rate: float | None
    unit_price_usd: float | None
    mass_kg: float | None
    parts: int | None
    script: str | None
    """script.py; null if its artifact is gone."""


class ConversationRow(Model):
    """`conversations`: the whole conversation of a role in a run, without replies that could not be used."""

    run_id: UUID
    role: str
    benchmark: str
    seed: int
    model: str
    reward: float | None
    tools: str
    """JSON: schemas of the tools that the role may call in this version, in the shape of chat-completion APIs."""
    messages: tuple[ChatMessage, ...]


class PreferenceRow(Model):
    """`preferences`: two answers to one prompt, the better one first."""

    run_id: UUID
    role: str
    kind: Literal["reply", "design"]
    """`reply`: a reply that could not be used, and the one after it. `design`: a submission that was refused, and the
    approved one of the same run."""
    prompt: tuple[ChatMessage, ...]
    chosen: str
    rejected: str
    reason: str
    """What was wrong with the rejected one."""


Row = RunRow | LogRow | CallRow | CellRow | DesignRow | ConversationRow | PreferenceRow
