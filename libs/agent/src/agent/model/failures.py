"""What it means when a model gives no answer: come back later, say less, or never mind."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from langchain_core.exceptions import (
    ContextOverflowError,
    ModelAPIError,
    ModelConnectionError,
    ModelError,
    ModelRateLimitError,
    ModelTimeoutError,
)

LONGEST_REST_S = 300.0
"""However long a provider asks to be left alone, so soon it is asked again."""

_CLIENT_FAILURES = {"openai": "OpenAIError", "anthropic": "AnthropicError"}
"""What a provider's client raises, by the client's module."""

_OUTAGES = (ModelConnectionError, ModelTimeoutError, ModelRateLimitError, ModelAPIError, TimeoutError)
_PASSING_STATUSES = frozenset({408, 409, 425})
"""Request timeout, conflict, too early: LangChain has no name for them."""
_TOO_LARGE_STATUS = 413
_OVERFLOW_WORDS = ("maximum context length", "context size", "context window", "context length", "too many tokens")
"""How servers say with a 400 that a prompt is too long, besides those that LangChain knows: vLLM, llama.cpp, …"""


class ModelUnavailableError(Exception):
    """No such model, or no key for it. The text names the mend."""


class ModelNotSetUpError(ModelUnavailableError):
    """There is such a model, and this environment lacks its key or whatever else its provider's client wants."""


class ModelRefusedError(Exception):
    """The provider says no, and would say no again. The text is what it says."""


class PromptTooLongError(Exception):
    """The prompt exceeds the model's window, whatever was estimated."""


class UnreadableAnswerError(Exception):
    """The server says that all is well, and what it sends is no answer of a model: a surprise, and its tries count."""


class ModelAwayError(Exception):
    """The provider cannot answer now: asked again later, for as long as the run lasts."""

    def __init__(self, told: str, rest_s: float = 0.0) -> None:
        super().__init__(told)
        self.rest_s = rest_s
        """For how long it asked to be left alone, at most `LONGEST_REST_S`."""


PROVIDER_UNAVAILABLE: tuple[type[Exception], ...] = (ModelAwayError,)
"""What an app waits out."""


def call_failures() -> tuple[type[Exception], ...]:
    """Return what a call may raise. LangChain and the clients say the last three of bodies that they cannot read.

    A client that nobody has loaded raises nothing: only to name its errors here, it would be loaded for seconds.
    """
    clients = [getattr(sys.modules[name], error) for name, error in _CLIENT_FAILURES.items() if name in sys.modules]
    return (ModelError, *clients, TimeoutError, ValueError, TypeError, LookupError)


def failure_of(error: Exception, told: str) -> Exception:
    """Return what a failed call means, as one of the errors of this module; `told` is what is said of it."""
    status = getattr(error, "status_code", None)
    if isinstance(error, ContextOverflowError) or status == _TOO_LARGE_STATUS or _overflows(status, told):
        return PromptTooLongError(told)
    if isinstance(error, _OUTAGES) or status in _PASSING_STATUSES:
        if getattr(error, "code", None) == "insufficient_quota":  # comes as a rate limit; no waiting brings it back
            return ModelRefusedError(told)
        return ModelAwayError(told, rest_s(getattr(getattr(error, "response", None), "headers", {})))
    if isinstance(error, ModelError) or status is not None:
        return ModelRefusedError(told)
    return UnreadableAnswerError(f"{told} (is the address that of an OpenAI-compatible API, such as http://host/v1?)")


def rest_s(headers: Mapping[str, str]) -> float:
    """Return for how many seconds a provider asks to be left alone (RFC 9110, 10.2.3), or 0."""
    asked = headers.get("retry-after", "").strip()
    try:
        wanted_s = float(asked)
    except ValueError:
        wanted_s = _until_s(asked)
    return min(wanted_s, LONGEST_REST_S) if wanted_s > 0 else 0.0


def _until_s(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return 0.0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _overflows(status: int | None, told: str) -> bool:
    return status == 400 and any(words in told.lower() for words in _OVERFLOW_WORDS)
