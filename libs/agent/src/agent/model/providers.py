"""From a model's name to the chat models that answer for it, one for each of its servers.

Providers' clients take seconds to load and are loaded when a model of theirs is named: most commands and all workers
name none.
"""

from collections.abc import Mapping
from typing import TypedDict
from urllib.parse import urlsplit

import offline_expert.model
from langchain_core.language_models import BaseChatModel

from agent.model.endpoints import Endpoints
from agent.model.failures import ModelNotSetUpError, ModelUnavailableError, call_failures
from agent.model.local_chat import LocalChat, PolicyChat
from agent.model.prices import OFFLINE
from agent.settings import ModelEndpoint, ModelSettings

_KNOWN = (
    "use `offline`, `openai:NAME` (any compatible server by OPENAI_BASE_URL), `anthropic:NAME`, "
    "or a provider whose LangChain package is installed"
)
_OPENAI = "https://api.openai.com/v1"
_WHERE = "(in containers: in deploy/.env, and bring everything up again)"


class _Given(TypedDict, total=False):
    timeout: float
    max_retries: int
    temperature: float
    max_tokens: int


def make_endpoints(model: str, settings: ModelSettings) -> Endpoints:
    """Return the servers of the model of this name, `offline` or `PROVIDER:NAME`; raise `ModelUnavailableError`."""
    provider, _, name = model.partition(":")
    if model == OFFLINE:
        return Endpoints({OFFLINE: offline_chat()})
    if provider == "openai" and name:
        return Endpoints(_openai(name, settings))
    if provider == "anthropic" and name:
        return Endpoints({"anthropic": _anthropic(name, settings)})
    if provider and name and provider != OFFLINE:
        return Endpoints({provider: _other(provider, name, settings)})
    raise ModelUnavailableError(f"model {model!r} is unknown: {_KNOWN}")


def offline_chat() -> LocalChat:
    """Return the chat model whose replies are the offline expert's."""
    return PolicyChat(policy=offline_expert.model.reply)


def _openai(name: str, settings: ModelSettings) -> Mapping[str, BaseChatModel]:
    several = settings.model_endpoints.get(f"openai:{name}")
    if several is None:
        return {_host(settings.openai_base_url): _compatible(name, settings, settings.openai_base_url)}
    return {
        f"{_host(each.base_url)} ({number})": _compatible(name, settings, each.base_url, each)
        for number, each in enumerate(several, 1)
    }


def _compatible(
    name: str, settings: ModelSettings, base_url: str | None, endpoint: ModelEndpoint | None = None
) -> BaseChatModel:
    key = (endpoint.api_key if endpoint else None) or settings.openai_api_key
    if not key:
        raise ModelNotSetUpError(f"model 'openai:{name}' needs a key: set OPENAI_API_KEY {_WHERE}, or use `offline`")
    from agent.model.openai_compatible import CompatibleChat  # noqa: PLC0415 - see above

    return CompatibleChat(
        model=name,
        api_key=key,
        base_url=base_url or _OPENAI,  # or the client reads the environment, where an empty variable is an address
        use_responses_api=False,
        max_completion_tokens=settings.model_max_output_tokens,
        temperature=settings.model_temperature,
        timeout=settings.model_timeout_s,
        max_retries=0,
    )


def _anthropic(name: str, settings: ModelSettings) -> BaseChatModel:
    if not settings.anthropic_api_key:
        raise ModelNotSetUpError(
            f"model 'anthropic:{name}' needs a key: set ANTHROPIC_API_KEY {_WHERE}, or use `offline`"
        )
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 - see above

    key = settings.anthropic_api_key
    return init_chat_model(name, model_provider="anthropic", api_key=key, **_given(settings))


def _other(provider: str, name: str, settings: ModelSettings) -> BaseChatModel:
    """Return the chat model of any other provider that LangChain knows; its package finds its key by itself."""
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 - see above

    try:
        return init_chat_model(name, model_provider=provider, **_given(settings))
    except (ImportError, *call_failures()) as error:  # a client without a key has errors of its own
        words = " ".join(str(error).split())[:300]
        if words.startswith("Unsupported provider"):  # LangChain has no class for it, and lists all it knows
            raise ModelUnavailableError(f"model '{provider}:{name}' is unknown: {_KNOWN}") from error
        kind = ModelUnavailableError if isinstance(error, ImportError) else ModelNotSetUpError
        raise kind(f"model '{provider}:{name}' cannot be had: {words}; {_KNOWN}") from error


def _given(settings: ModelSettings) -> _Given:
    """Return what other providers than OpenAI's are told alike.

    Retries are the broker's: a provider's client that calls again by itself would hide what was paid.
    """
    given: _Given = {"timeout": settings.model_timeout_s, "max_retries": 0}
    if settings.model_temperature is not None:
        given["temperature"] = settings.model_temperature
    if settings.model_max_output_tokens is not None:
        given["max_tokens"] = settings.model_max_output_tokens
    return given


def _host(base_url: str | None) -> str:
    """Return the address without path, user and password."""
    parts = urlsplit(base_url or _OPENAI)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
