"""The model behind a role: a provider's, or the offline expert."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import get_args
from uuid import UUID

from contracts.envelope import Role
from contracts.models.conversation import Ending, Message, Usage
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, SecretStr

from agent.context.stand_ins import LEAST_BUDGET_TOKENS
from agent.model.endpoints import Endpoints
from agent.model.failures import ModelNotSetUpError, ModelRefusedError, ModelUnavailableError, call_failures, failure_of
from agent.model.messages import ending_of, from_langchain, to_langchain
from agent.model.prices import OFFLINE, PriceList
from agent.model.providers import make_endpoints
from agent.model.vision import Blobs, Vision
from agent.settings import ModelSettings, ModelSettingsError, from_environment

_SHORTEST_SECRET_CHARS = 8
"""What is shorter keeps nothing secret, and may be part of any word."""


@dataclass(frozen=True)
class Answer:
    """What a model said, and what it cost."""

    reply: Message
    usage: Usage
    ending: Ending = "complete"


@dataclass(frozen=True)
class CallSettings:
    """How a role calls its models."""

    role: Role | None = None
    models: Mapping[Role, str] | None = None
    """Models that single roles have in place of the run's."""
    prompt_budget_tokens: int | None = None
    summarizes: bool = False
    """Whether a model is asked to sum up what a prompt has no room for."""
    timeout_s: float | None = None
    """Of one whole answer: a server that sends a byte now and then is never silent for long."""
    secrets: Sequence[SecretStr] = ()
    """What must not stand in any error, whoever words it."""


class RoleModel:
    """Answers conversations with whatever model a run names, or with its role's own.

    `make_chat` turns a model's name into a chat model, or into several servers of it, once per name; tests pass a
    scripted one.
    """

    def __init__(
        self,
        make_chat: Callable[[str], BaseChatModel | Endpoints],
        prices: PriceList | None = None,
        vision: Vision | None = None,
        calling: CallSettings | None = None,
    ) -> None:
        self._make_chat = make_chat
        self._endpoints = lru_cache(self._made)
        self._vision = vision or Vision()
        self._prices = prices or PriceList()
        self._calling = calling or CallSettings()

    @classmethod
    def configured(
        cls, settings: ModelSettings, blobs: Blobs | None = None, *, role: Role | None = None
    ) -> "RoleModel":
        """Return the models that these settings allow a role. If its messages have pictures it gives their store."""
        prices = PriceList(settings.model_prices, settings.openai_base_url, settings.model_endpoints)
        vision = Vision(blobs, settings.model_most_images, settings.model_vision)
        own = settings.of_role(role)
        calling = CallSettings(
            role=role,
            models={name: choice.model for name, choice in settings.model_roles.items() if choice.model},
            prompt_budget_tokens=own.model_prompt_budget_tokens,
            summarizes=own.model_sums_up,
            timeout_s=own.model_timeout_s,
            secrets=settings.secrets,
        )
        return cls(partial(make_endpoints, settings=own), prices, vision, calling)

    def resolve_name(self, model: str) -> str:
        """Return which model this role asks when a run names this one."""
        models = self._calling.models or {}
        return models.get(self._calling.role, model) if self._calling.role else model

    def prompt_budget_tokens(self, model: str) -> int | None:
        """Return how many tokens a prompt may take, or None: the offline expert counts none, and reads all there is."""
        return None if model == OFFLINE else self._calling.prompt_budget_tokens

    def summarizes(self, model: str) -> bool:
        """Return whether this model is asked to sum up what its prompts have no room for."""
        budget_tokens = self.prompt_budget_tokens(model)
        return self._calling.summarizes and budget_tokens is not None and budget_tokens >= LEAST_BUDGET_TOKENS

    def max_images(self, model: str) -> int:
        """Return how many pictures a prompt may have, or 0: it takes none. Raise `ModelUnavailableError`."""
        return 0 if model == OFFLINE else self._vision.images_for(self._endpoints(model).any_chat)

    def problem(self, model: str, *, priced: bool = False) -> str | None:
        """Return why a run that names this model cannot have it, or what stands for it in a role; or None.

        With `priced` it must be known what each costs, too.
        """
        roles: tuple[Role, ...] = get_args(Role)
        models = self._calling.models or {}
        names = dict.fromkeys(models.get(each, model) for each in roles)
        return next(filter(None, (self._problem(name, priced=priced) for name in names)), None)

    def _made(self, model: str) -> Endpoints:
        made = self._make_chat(model)
        return made if isinstance(made, Endpoints) else Endpoints({type(made).__name__: made})

    def _problem(self, model: str, *, priced: bool) -> str | None:
        try:
            self._endpoints(model)
        except ModelUnavailableError as error:
            return str(error)
        return self._prices.problem(model) if priced else None

    async def answer(
        self, model: str, messages: Sequence[Message], tools: Sequence[type[BaseModel]], run_id: UUID | None = None
    ) -> Answer:
        """Call the model once, at the server that the run keeps.

        Raise one of `PROVIDER_AWAY`, or the store's error that it is away: come back later; `PromptTooLongError`: say
        less; `ModelUnavailableError` or `ModelRefusedError`: never mind. `UnreadableAnswerError` is a surprise, and so
        is a picture that the store lacks.
        """
        endpoints = self._endpoints(model)
        images = await self._vision.fetched(messages)
        said = to_langchain(messages, images)
        started_s = time.monotonic()
        try:
            with endpoints.borrow(run_id) as endpoint:
                reply = await self._called(endpoint.chat, said, tools, f"{model} at {endpoint.name}")
        except ModelRefusedError as error:
            mend = f" ({len(images)} pictures went along; MODEL_VISION=false sends captions only)" if images else ""
            raise ModelRefusedError(f"{error}{mend}") from None
        usage = self._usage(model, reply, time.monotonic() - started_s)
        return Answer(reply=from_langchain(reply), usage=usage, ending=ending_of(reply))

    async def _called(
        self, chat: BaseChatModel, said: list[BaseMessage], tools: Sequence[type[BaseModel]], where: str
    ) -> AIMessage:
        """Return the reply. What is raised has no cause: the client's own errors know the key."""
        bound = chat.bind_tools(tools) if tools else chat
        try:
            async with asyncio.timeout(self._calling.timeout_s):
                return await bound.ainvoke(said)
        except call_failures() as error:
            failure = failure_of(error, self._without_secrets(f"{where}: {_words(error)}"))
        raise failure

    def _without_secrets(self, text: str) -> str:
        for secret in self._calling.secrets:
            if len(value := secret.get_secret_value()) >= _SHORTEST_SECRET_CHARS:
                text = text.replace(value, "…")
        return text

    def _usage(self, model: str, reply: AIMessage, duration_s: float) -> Usage:
        counted = reply.usage_metadata
        return Usage(
            input_tokens=counted["input_tokens"] if counted else 0,
            output_tokens=counted["output_tokens"] if counted else 0,
            duration_s=duration_s,
            cost_usd=self._prices.cost_usd(model, counted),
        )


def check_model(model: str, settings: ModelSettings | None = None, *, priced: bool = False) -> str | None:
    """Return in one line why `model` cannot be used and how to mend it, or None. Calls nobody.

    With `priced` it must be known what it costs, too. Without `settings` they are read from the environment.
    """
    try:
        return RoleModel.configured(settings or from_environment()).problem(model, priced=priced)
    except ModelSettingsError as error:
        return str(error)


def check_model_name(model: str) -> str | None:
    """Return in one line why there is no such model, or None: for whoever has no keys, which others have."""
    try:
        make_endpoints(model, from_environment())
    except ModelNotSetUpError:
        return None
    except (ModelSettingsError, ModelUnavailableError) as error:
        return str(error)
    return None


def _words(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no whole answer in time (MODEL_TIMEOUT_S)"
    return str(error).strip()[:1000] or type(error).__name__
