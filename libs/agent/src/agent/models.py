"""The model behind a role: a provider's, or the offline expert."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from contracts.conversation import Message, Usage
from langchain.chat_models import init_chat_model
from langchain_core.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelError,
    ModelRateLimitError,
    ModelTimeoutError,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from agent.conversation import from_chat, to_chat
from agent.offline.model import OfflineExpert
from agent.prices import OFFLINE, PriceList
from agent.settings import ModelSettings, ModelSettingsError, from_environment
from agent.vision import Blobs, Vision

PROVIDER_AWAY: tuple[type[Exception], ...] = (
    ModelConnectionError,
    ModelTimeoutError,
    ModelRateLimitError,
    ModelAPIError,  # the provider's own failure, 5xx
)
"""A provider that cannot answer now: asked again later, for as long as the run lasts."""


class ModelUnavailableError(Exception):
    """No such model, or no key for it. The text names the mend."""


class ModelRefusedError(Exception):
    """The provider says no, and would say no again. The text is what it says."""


@dataclass(frozen=True)
class Answer:
    """What a model said, and what it cost."""

    reply: Message
    usage: Usage


class RoleModel:
    """Answers conversations with whatever model a run names.

    `make_chat` turns a model's name into a chat model, once per name; tests pass a scripted one.
    """

    def __init__(
        self,
        make_chat: Callable[[str], BaseChatModel],
        prices: PriceList | None = None,
        prompt_budget_tokens: int | None = None,
        vision: Vision | None = None,
    ) -> None:
        self._make_chat = lru_cache(make_chat)
        self._vision = vision or Vision()
        self._prompt_budget_tokens = prompt_budget_tokens
        self._prices = prices or PriceList()

    @classmethod
    def configured(cls, settings: ModelSettings, blobs: Blobs | None = None) -> "RoleModel":
        """Return the models that these settings allow. A role whose messages have pictures gives their store."""
        prices = PriceList(settings.model_prices, settings.openai_base_url)
        vision = Vision(blobs, settings.model_most_images, settings.model_vision)
        return cls(partial(make_chat, settings=settings), prices, settings.model_prompt_budget_tokens, vision)

    def prompt_budget_tokens(self, model: str) -> int | None:
        """Return how many tokens a prompt may take, or None: the offline expert counts none, and reads all there is."""
        return None if model == OFFLINE else self._prompt_budget_tokens

    def most_images(self, model: str) -> int:
        """Return how many pictures a prompt may have, or 0: it takes none. Raise `ModelUnavailableError`."""
        return 0 if model == OFFLINE else self._vision.images_for(self._make_chat(model))

    def problem(self, model: str, *, priced: bool = False) -> str | None:
        """Return why this model cannot answer, or None; with `priced` it must be known what it costs, too."""
        try:
            self._make_chat(model)
        except ModelUnavailableError as error:
            return str(error)
        return self._prices.problem(model) if priced else None

    async def answer(self, model: str, messages: Sequence[Message], tools: Sequence[type[BaseModel]]) -> Answer:
        """Call the model once.

        Raise one of `PROVIDER_AWAY`, or the store's error that it is away: come back later; `ModelUnavailableError` or
        `ModelRefusedError`: never mind. What the provider raises otherwise, such as for a status that LangChain has no
        name for, is a surprise, and so is a picture that the store lacks.
        """
        chat = self._make_chat(model)
        bound = chat.bind_tools(tools) if tools else chat
        images = await self._vision.fetched(messages)
        said = to_chat(messages, images)
        started_s = time.monotonic()
        try:
            reply = await bound.ainvoke(said)
        except ModelError as error:
            if _may_pass(error):
                raise
            mend = f" ({len(images)} pictures went along; MODEL_VISION=false sends captions only)" if images else ""
            raise ModelRefusedError(f"{model}: {error}{mend}") from error
        return Answer(reply=from_chat(reply), usage=self._usage(model, reply, time.monotonic() - started_s))

    def _usage(self, model: str, reply: AIMessage, duration_s: float) -> Usage:
        counted = reply.usage_metadata
        return Usage(
            input_tokens=counted["input_tokens"] if counted else 0,
            output_tokens=counted["output_tokens"] if counted else 0,
            duration_s=duration_s,
            cost_usd=self._prices.cost_usd(model, counted),
        )


def check(model: str, settings: ModelSettings | None = None, *, priced: bool = False) -> str | None:
    """Return in one line why `model` cannot be used and how to mend it, or None. Calls nobody.

    With `priced` it must be known what it costs, too. Without `settings` they are read from the environment.
    """
    try:
        return RoleModel.configured(settings or from_environment()).problem(model, priced=priced)
    except ModelSettingsError as error:
        return str(error)


def make_chat(model: str, settings: ModelSettings) -> BaseChatModel:
    """Return the chat model of this name: `offline`, `openai:…` or `anthropic:…`."""
    provider, _, name = model.partition(":")
    if model == OFFLINE:
        return OfflineExpert()
    if provider == "openai" and name:
        return _openai(name, settings)
    if provider == "anthropic" and name:
        return _anthropic(name, settings)
    raise ModelUnavailableError(
        f"model {model!r} is unknown: use `offline`, `openai:NAME` (any compatible server by OPENAI_BASE_URL) "
        "or `anthropic:NAME`"
    )


def _openai(name: str, settings: ModelSettings) -> BaseChatModel:
    if settings.openai_api_key is None:
        raise ModelUnavailableError(f"model 'openai:{name}' needs a key: set OPENAI_API_KEY, or use `offline`")
    # Retries are the broker's: a provider's client that calls again by itself would hide what was paid.
    return init_chat_model(
        name,
        model_provider="openai",
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
        use_responses_api=False,
        timeout=settings.model_timeout_s,
        max_retries=0,
    )


def _anthropic(name: str, settings: ModelSettings) -> BaseChatModel:
    if settings.anthropic_api_key is None:
        raise ModelUnavailableError(f"model 'anthropic:{name}' needs a key: set ANTHROPIC_API_KEY, or use `offline`")
    return init_chat_model(
        name,
        model_provider="anthropic",
        api_key=settings.anthropic_api_key,
        timeout=settings.model_timeout_s,
        max_retries=0,
    )


def _may_pass(error: ModelError) -> bool:
    """Tell whether waiting helps. A spent quota comes as a rate limit, but no waiting brings it back."""
    return isinstance(error, PROVIDER_AWAY) and getattr(error, "code", None) != "insufficient_quota"
