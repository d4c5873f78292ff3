"""Model calls in the words of OpenTelemetry's semantic conventions for generative AI.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ (version 1.37; its names may still change). Prompts and replies are
not exported: they are events, and may hold what a user wants to keep.
"""

from collections.abc import Mapping
from uuid import UUID

from contracts.envelope import Role
from contracts.models.conversation import Ending, Usage
from opentelemetry.util.types import AttributeValue

from chassis.observability import declarations as names

OFFLINE, SEARCH = "offline", "search"
_PROVIDERS: Mapping[str, str] = {
    OFFLINE: "millwright",
    SEARCH: "millwright",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "bedrock": "aws.bedrock",
    "azure_openai": "azure.ai.openai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}
"""Where the conventions have another name than the model's prefix."""
_FINISH_REASONS: Mapping[Ending, str] = {"complete": "stop", "cut_off": "length", "refused": "content_filter"}


def provider_of(model: str) -> str:
    """Return the provider of a model `PROVIDER:NAME`."""
    prefix = model.partition(":")[0]
    return _PROVIDERS.get(prefix, prefix)


def finish_reason(ending: Ending, *, calls_tools: bool) -> str:
    """Return why a model stopped writing."""
    return "tool_calls" if calls_tools and ending == "complete" else _FINISH_REASONS[ending]


def call_attributes(model: str) -> dict[str, str]:
    """Return the attributes that spans and metrics of one call share."""
    return {names.OPERATION: names.CHAT, names.PROVIDER: provider_of(model), names.REQUEST_MODEL: model}


def thread_attributes(run_id: UUID | None, role: Role | None) -> dict[str, str]:
    """Return the attributes of the thread that a call belongs to; none for a call outside of runs."""
    if run_id is None or role is None:
        return {}
    return {names.RUN_ID: str(run_id), names.ROLE: role, names.CONVERSATION: f"{run_id}:{role}"}


def answer_attributes(usage: Usage, ending: Ending, *, calls_tools: bool) -> dict[str, AttributeValue]:
    """Return what a span of an answered call adds; without a known price, no cost."""
    cost = {} if usage.cost_usd is None else {names.COST_USD: usage.cost_usd}
    return {
        names.INPUT_TOKENS: usage.input_tokens,
        names.CACHED_TOKENS: usage.cached_input_tokens,
        names.OUTPUT_TOKENS: usage.output_tokens,
        names.FINISH_REASONS: [finish_reason(ending, calls_tools=calls_tools)],
        **cost,
    }
