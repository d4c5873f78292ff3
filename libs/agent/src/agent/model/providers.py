"""Creates the chat models for a model name, one for each of its servers.

Providers' clients take seconds to load, so they are loaded on first use: most commands and all workers need none.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, TypedDict
from urllib.parse import urlsplit

import offline_expert.model
from chassis.observability.model_conventions import OFFLINE, SEARCH
from chassis.servers.look_up import AnnouncedServers
from contracts.extensions import ExtensionError, extensions, load_extension
from langchain_core.language_models import BaseChatModel
from offline_expert.author.words import inexpressible, read_brief, understood

from agent.model.announced_endpoints import AnnouncedEndpoints
from agent.model.endpoints import Endpoints
from agent.model.failures import ModelNotSetUpError, ModelUnavailableError, call_failures
from agent.model.local_chat import LocalChat, PolicyChat
from agent.settings import ModelEndpoint, ModelSettings
from agent.token_prices import RULE_BASED

_KNOWN = (
    "use `offline`, `search`, `openai:NAME` (any compatible server by OPENAI_BASE_URL), `anthropic:NAME`, "
    "or a provider whose LangChain package, or extension of Millwright, is installed"
)
_OPENAI = "https://api.openai.com/v1"
_KEY_LOCATION = "(in containers: in deploy/.env, and bring everything up again)"


class _Parameters(TypedDict, total=False):
    timeout: float
    max_retries: int
    temperature: float
    max_tokens: int


def make_endpoints(model: str, settings: ModelSettings, announced: AnnouncedServers | None = None) -> Endpoints:
    """Return the servers of the model of this name, `offline` or `PROVIDER:NAME`; raise `ModelUnavailableError`."""
    provider, _, name = model.partition(":")
    if model == OFFLINE:
        return Endpoints({OFFLINE: offline_chat()})
    if model == SEARCH:
        return Endpoints({SEARCH: _search_chat()})
    if provider == "openai" and name:
        return _openai_endpoints(name, settings, announced)
    if provider == "anthropic" and name:
        return Endpoints({"anthropic": _anthropic(name, settings)})
    if name and provider in extensions("millwright.model_providers"):
        return Endpoints({provider: _of_package(provider, name)})
    if provider and name and provider not in RULE_BASED:
        return Endpoints({provider: _other(provider, name, settings)})
    raise ModelUnavailableError(f"model {model!r} is unknown: {_KNOWN}")


def offline_level(task: str) -> int | None:
    """Return the level that the words of a brief ask for, as the offline expert reads them."""
    return read_brief(task).level


def offline_reading(task: str, level: int) -> list[str]:
    """Return what the offline expert will build of a brief, and what it cannot express, one sentence each."""
    return understood(task, level)


def offline_limits(task: str, level: int) -> list[str]:
    """Return what a brief asks for that the offline expert cannot build."""
    return inexpressible(task, level)


def offline_chat() -> LocalChat:
    """Return the offline expert as a chat model."""
    return PolicyChat(policy=offline_expert.model.reply)


def _search_chat() -> LocalChat:
    """Return the offline expert with an engineer that searches as a chat model."""
    from offline_expert.engineer import search_policy  # noqa: PLC0415 - the optimiser takes a second to load

    return PolicyChat(policy=partial(offline_expert.model.reply, engineering=search_policy.decide))


def _openai_endpoints(name: str, settings: ModelSettings, announced: AnnouncedServers | None) -> Endpoints:
    """Return the servers of the settings and, if there is a key for those, the announced ones."""
    key = settings.model_servers_key
    if key is None:
        return Endpoints(_openai(name, settings))
    is_listed = f"openai:{name}" in settings.model_endpoints
    own: Mapping[str, BaseChatModel] = _openai(name, settings) if is_listed or settings.openai_api_key else {}

    def make_chat(url: str) -> BaseChatModel:
        return _compatible(name, settings, url, ModelEndpoint(base_url=url, api_key=key))

    found = AnnouncedEndpoints(f"openai:{name}", announced, make_chat, joins_others=is_listed)
    return Endpoints(own, announced=found)


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
        raise ModelNotSetUpError(
            f"model 'openai:{name}' needs a key: set OPENAI_API_KEY {_KEY_LOCATION}, or use `offline`"
        )
    from agent.model.openai_compatible import TIMEOUT, CompatibleChat  # noqa: PLC0415 - loaded on first use

    return CompatibleChat(
        model=name,
        api_key=key,
        # Without an address the client reads the environment, where an empty variable counts as one.
        base_url=base_url or _OPENAI,
        use_responses_api=False,
        max_completion_tokens=settings.model_max_output_tokens,
        temperature=settings.model_temperature,
        timeout=TIMEOUT,
        stream_chunk_timeout=None,
        max_retries=0,
    )


def _anthropic(name: str, settings: ModelSettings) -> BaseChatModel:
    if not settings.anthropic_api_key:
        raise ModelNotSetUpError(
            f"model 'anthropic:{name}' needs a key: set ANTHROPIC_API_KEY {_KEY_LOCATION}, or use `offline`"
        )
    from agent.model.anthropic_stream import StreamedAnthropic  # noqa: PLC0415 - loaded on first use

    caching = {"cache_control": {"type": "ephemeral"}}  # prompts only grow, and Anthropic caches none unasked
    parameters: dict[str, Any] = {**_parameters(settings)}  # its own name for max_tokens is an alias, too
    return StreamedAnthropic(
        model_name=name,
        api_key=settings.anthropic_api_key,
        model_kwargs=caching,
        streaming=True,
        stop=None,
        **parameters,
    )


def _of_package(provider: str, name: str) -> BaseChatModel:
    """Return the chat model of another package: its entry point is a function from the model's name to it."""
    point = extensions("millwright.model_providers")[provider]
    make = load_extension(point)
    chat = make(name) if callable(make) else None
    if not isinstance(chat, BaseChatModel):
        raise ExtensionError(point, "that is not a function from the name of a model to a BaseChatModel of LangChain")
    return chat


def _other(provider: str, name: str, settings: ModelSettings) -> BaseChatModel:
    """Return the chat model of any other provider that LangChain knows; its package finds the key by itself."""
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 - loaded on first use

    try:
        return init_chat_model(name, model_provider=provider, **_parameters(settings))
    except (ImportError, *call_failures()) as error:  # clients raise their own errors for a missing key
        reason = " ".join(str(error).split())[:300]
        if reason.startswith("Unsupported provider"):  # followed by all providers that LangChain knows
            raise ModelUnavailableError(f"model '{provider}:{name}' is unknown: {_KNOWN}") from error
        kind = ModelUnavailableError if isinstance(error, ImportError) else ModelNotSetUpError
        raise kind(f"model '{provider}:{name}' is not available: {reason}; {_KNOWN}") from error


def _parameters(settings: ModelSettings) -> _Parameters:
    """Return the parameters that all providers but OpenAI share; Anthropic's chat model replaces the timeout.

    Clients do not retry: outages are retried by the chassis, and a hidden retry would hide its cost.
    """
    parameters: _Parameters = {"timeout": settings.model_timeout_s, "max_retries": 0}
    if settings.model_temperature is not None:
        parameters["temperature"] = settings.model_temperature
    if settings.model_max_output_tokens is not None:
        parameters["max_tokens"] = settings.model_max_output_tokens
    return parameters


def _host(base_url: str | None) -> str:
    """Return the address without path, user and password."""
    parts = urlsplit(base_url or _OPENAI)
    return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
