"""Classifies failures of model calls: retry later, shorten the prompt, or give up."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from chassis.errors import PartialOutageError
from contracts.models.conversation import Usage
from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAPIError,
    ModelConnectionError,
    ModelError,
    ModelRateLimitError,
    ModelTimeoutError,
)

MAX_PAUSE_S = 300.0
"""A provider that asks for a longer pause is called again after this time."""

_CLIENT_ERRORS = {"openai": "OpenAIError", "anthropic": "AnthropicError"}
"""Base class of the errors of a provider's client, by the client's module."""

_OUTAGES = (ModelConnectionError, ModelTimeoutError, ModelRateLimitError, ModelAPIError, TimeoutError)
_TRANSIENT_STATUSES = frozenset({408, 409, 425})
"""Request timeout, conflict, too early: LangChain has no classes for them."""
_TOO_LARGE_STATUS = 413
_OVERFLOW_PHRASES = ("maximum context length", "context size", "context window", "context length", "too many tokens")
"""In a 400 for a prompt that is too long, besides those that LangChain recognizes: vLLM, llama.cpp, …"""


class ModelUnavailableError(Exception):
    """The model or its key is missing. The message names the remedy."""


class ModelNotSetUpError(ModelUnavailableError):
    """The model is known, but this environment lacks its key or another requirement of its client."""


class ModelRefusedError(Exception):
    """The provider refused the call and would refuse it again. The message is the provider's."""


class PromptTooLongError(Exception):
    """The prompt exceeds the model's context window, whatever was estimated."""


class UnreadableAnswerError(Exception):
    """The server reports success, but its body is not a model's answer. Unexpected: attempts count."""


class ProviderOutageError(PartialOutageError):
    """The provider cannot answer now: an outage, retried for as long as the run lasts. Its key is the model."""

    def __init__(self, problem: str, pause_s: float = 0.0) -> None:
        super().__init__(problem)
        self.pause_s = pause_s
        """The pause that the provider asked for, at most `MAX_PAUSE_S`."""


class ReplyLostError(ProviderOutageError):
    """A call was sent, and no whole reply came: it is probably paid for."""

    def __init__(self, problem: str, usage: Usage, *, is_silent: bool) -> None:
        super().__init__(problem)
        self.usage = usage
        """Estimated."""
        self.is_silent = is_silent
        """Whether nothing came any more, or the connection broke."""


PROVIDER_UNAVAILABLE: tuple[type[Exception], ...] = (ProviderOutageError,)
"""The outages of a provider."""


def call_failures() -> tuple[type[Exception], ...]:
    """Return the exceptions that a call may raise. LangChain and clients raise the last three for unreadable bodies.

    A client that is not loaded raises nothing; importing it only to name its errors would take seconds.
    """
    clients = [getattr(sys.modules[name], error) for name, error in _CLIENT_ERRORS.items() if name in sys.modules]
    return (ModelError, *clients, TimeoutError, ValueError, TypeError, LookupError)


def classify_failure(error: Exception, text: str) -> Exception:
    """Return the error of this module that a failed call amounts to; `text` becomes its message."""
    status = getattr(error, "status_code", None)
    if isinstance(error, ContextOverflowError) or status == _TOO_LARGE_STATUS or _overflows(status, text):
        return PromptTooLongError(text)
    if isinstance(error, _OUTAGES) or status in _TRANSIENT_STATUSES:
        if getattr(error, "code", None) == "insufficient_quota":  # reported as a rate limit, but waiting does not help
            return ModelRefusedError(text)
        return ProviderOutageError(text, requested_pause_s(getattr(getattr(error, "response", None), "headers", {})))
    if isinstance(error, ModelError) or status is not None:
        return ModelRefusedError(text)
    return UnreadableAnswerError(f"{text} (is the address that of an OpenAI-compatible API, such as http://host/v1?)")


def requested_pause_s(headers: Mapping[str, str]) -> float:
    """Return the pause that a provider asks for in `Retry-After` (RFC 9110, 10.2.3), or 0."""
    value = headers.get("retry-after", "").strip()
    try:
        pause_s = float(value)
    except ValueError:
        pause_s = _seconds_until(value)
    return min(pause_s, MAX_PAUSE_S) if pause_s > 0 else 0.0


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _overflows(status: int | None, text: str) -> bool:
    return status == 400 and any(phrase in text.lower() for phrase in _OVERFLOW_PHRASES)
