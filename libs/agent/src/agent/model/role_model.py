"""The model behind a role: a provider's chat model, or the offline expert."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, get_args
from uuid import UUID

from artifacts.port import ArtifactStore
from chassis.delivery.worker_slot import free_worker
from chassis.observability.declarations import CHAT
from chassis.observability.model_conventions import answer_attributes, call_attributes, thread_attributes
from chassis.observability.tracing import TracePropagation, Tracing
from chassis.servers.look_up import AnnouncedServers
from contracts.envelope import Role
from contracts.models.artifact import Sha256
from contracts.models.conversation import Ending, Message, Usage
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable
from pydantic import BaseModel, SecretStr

from agent.model.endpoints import Endpoints
from agent.model.failures import (
    ModelNotSetUpError,
    ModelRefusedError,
    ModelUnavailableError,
    ProviderOutageError,
    ReplyLostError,
    call_failures,
    classify_failure,
)
from agent.model.messages import ending_of, from_langchain, to_langchain
from agent.model.progress import CallProgress
from agent.model.providers import make_endpoints
from agent.model.written_calls import Writing, read_written, schema_of, written_prompt
from agent.settings import MAX_IMAGES, ModelProfile, ModelSettings, ModelSettingsError, from_environment
from agent.token_estimate import BYTES_PER_TOKEN, tokens_of_messages, tokens_of_tools
from agent.token_prices import RULE_BASED, PriceList, cached_tokens

TOKENS_PER_SILENT_S = 50
"""What a model is assumed to write, unseen, while its reply is on the way: rather too much, so that limits hold."""
MAX_UNSEEN_TOKENS = 20_000
"""The most that is assumed of one reply without a limit of its own."""

PROMPT_SHARE = 0.75
"""Of a known context window; the rest is for the reply."""
MIN_BUDGET_TOKENS = 8_000
"""A smaller prompt budget has no space for a summary besides the steps that must be shown."""

_MIN_SECRET_CHARS = 8
"""Shorter values are not secrets and may be part of any word."""


class NoPicturesError(RuntimeError):
    """A message has pictures, and its role was wired without a store to fetch them from."""


@dataclass(frozen=True)
class Answer:
    """A model's reply and its cost."""

    reply: Message
    usage: Usage
    ending: Ending = "complete"


@dataclass(frozen=True)
class CallSettings:
    """How a role calls its models."""

    role: Role | None = None
    models: Mapping[Role, str] | None = None
    """Models of single roles, in place of the run's model."""
    prompt_budget_tokens: int | None = None
    summarizes: bool = False
    """Whether models summarize the steps that a prompt has no space for."""
    timeout_s: float | None = None
    """How long a server may send nothing of a reply; a comment that keeps the connection alive is nothing."""
    max_output_tokens: int | None = None
    profiles: Mapping[str, ModelProfile] = field(default_factory=dict[str, ModelProfile])
    """Features by the full name of a model, in place of those in LangChain's profiles."""
    secrets: Sequence[SecretStr] = ()
    """Values that are removed from every error message, of clients and servers alike."""


@dataclass(frozen=True)
class Vision:
    """Whether and which pictures a role's models are sent."""

    artifacts: ArtifactStore | None = None
    max_images: int = MAX_IMAGES
    """Per prompt."""
    takes_images: bool | None = None
    """None: models whose LangChain profile says that they accept images."""

    def images_for(self, profile: ModelProfile) -> int:
        """Return the maximum number of pictures in a prompt for this model; 0: captions only."""
        takes_images = profile.image_inputs if self.takes_images is None else self.takes_images
        return self.max_images if takes_images else 0

    async def fetch(self, messages: Sequence[Message]) -> Mapping[Sha256, bytes]:
        """Return the bytes of all pictures of a prompt, by digest; raise `NoPicturesError` or the store's errors."""
        refs = {image.artifact.sha256: image.artifact for message in messages for image in message.images}
        if not refs:
            return {}
        if self.artifacts is None:
            raise NoPicturesError(
                "a prompt has pictures, and this role has no store to fetch them from: "
                "wire `RoleModel.configured(settings, artifacts)`"
            )
        found = await asyncio.gather(*map(self.artifacts.get, refs.values()))
        return dict(zip(refs, found, strict=True))


class RoleModel:
    """Answers conversations with the model that a run names, or with the role's own.

    `make_chat` is called once per model name and returns a chat model or several servers of it; tests pass a script.
    """

    def __init__(
        self,
        make_chat: Callable[[str], BaseChatModel | Endpoints],
        prices: PriceList | None = None,
        vision: Vision | None = None,
        settings: CallSettings | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self._make_chat = make_chat
        self._endpoints = lru_cache(self._make_endpoints)
        self._vision = vision or Vision()
        self._prices = prices or PriceList()
        self._settings = settings or CallSettings()
        self._tracing = tracing or TracePropagation()

    @classmethod
    def configured(
        cls,
        settings: ModelSettings,
        artifacts: ArtifactStore | None = None,
        *,
        role: Role | None = None,
        tracing: Tracing | None = None,
        announced: AnnouncedServers | None = None,
    ) -> "RoleModel":
        """Return the models that these settings give a role. A role with pictures in its messages needs `artifacts`."""
        of_profiles = {name: price for name, own in settings.model_profiles.items() if (price := own.price) is not None}
        own_prices = {**of_profiles, **settings.model_prices}
        prices = PriceList(own_prices, settings.openai_base_url, settings.model_endpoints)
        vision = Vision(artifacts, settings.model_most_images, settings.model_vision)
        own = settings.of_role(role)
        call_settings = CallSettings(
            role=role,
            models={name: choice.model for name, choice in settings.model_roles.items() if choice.model},
            prompt_budget_tokens=own.model_prompt_budget_tokens,
            summarizes=own.model_sums_up,
            timeout_s=own.model_timeout_s,
            max_output_tokens=own.model_max_output_tokens,
            profiles=settings.model_profiles,
            secrets=settings.secrets,
        )
        return cls(partial(make_endpoints, settings=own, announced=announced), prices, vision, call_settings, tracing)

    def resolve_name(self, model: str) -> str:
        """Return the model that this role calls in a run that names `model`."""
        models = self._settings.models or {}
        return models.get(self._settings.role, model) if self._settings.role else model

    def profile(self, model: str) -> ModelProfile:
        """Return a model's features, of the settings or of LangChain's profile. Raise `ModelUnavailableError`."""
        listed = self._endpoints(model).any_chat.profile or {}
        known = {name: listed.get(name) for name in ModelProfile.model_fields}
        own = self._settings.profiles.get(model)
        return ModelProfile.model_validate(known | (own.model_dump(exclude_none=True) if own else {}))

    def prompt_budget_tokens(self, model: str) -> int | None:
        """Return the maximum tokens of a prompt; None for the offline expert, which reads everything.

        A known context window leaves room for the reply in it.
        """
        budget_tokens = self._settings.prompt_budget_tokens
        if model in RULE_BASED or budget_tokens is None:
            return None
        window_tokens = self.profile(model).max_input_tokens
        return budget_tokens if window_tokens is None else min(budget_tokens, int(PROMPT_SHARE * window_tokens))

    def summarizes(self, model: str) -> bool:
        """Return whether this model summarizes steps that its prompts have no space for."""
        budget_tokens = self.prompt_budget_tokens(model)
        return self._settings.summarizes and budget_tokens is not None and budget_tokens >= MIN_BUDGET_TOKENS

    def max_images(self, model: str) -> int:
        """Return the maximum number of pictures in a prompt; 0: none. Raise `ModelUnavailableError`."""
        return 0 if model in RULE_BASED else self._vision.images_for(self.profile(model))

    def sees_pictures(self, model: str) -> bool:
        """Return whether the model that this role calls in a run that names `model` is sent pictures."""
        return self.max_images(self.resolve_name(model)) > 0

    def problem(self, model: str, *, priced: bool = False) -> str | None:
        """Return why a run cannot use this model, or a role's model in its place; None: it can.

        With `priced` the price of each must be known, too.
        """
        roles: tuple[Role, ...] = get_args(Role)
        models = self._settings.models or {}
        names = dict.fromkeys(models.get(each, model) for each in roles)
        return next(filter(None, (self._problem(name, priced=priced) for name in names)), None)

    async def answer(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[type[BaseModel]],
        run_id: UUID | None = None,
        patience: int = 1,
    ) -> Answer:
        """Call the model once, at the server that this run uses; `patience` multiplies how long it may be silent.

        Raise an error of `failures`, or one of the artifact store's errors. `PROVIDER_UNAVAILABLE` and an unavailable
        store are outages; `PromptTooLongError` asks for a shorter prompt; `ModelUnavailableError` and
        `ModelRefusedError` are final.
        """
        attributes = call_attributes(model) | thread_attributes(run_id, self._settings.role)
        with self._tracing.working(f"{CHAT} {model}", attributes) as span:
            answer = await self._answer(model, messages, tools, run_id, patience)
            calls_tools = bool(answer.reply.tool_calls)
            span.set_attributes(answer_attributes(answer.usage, answer.ending, calls_tools=calls_tools))
            return answer

    async def _answer(
        self,
        model: str,
        messages: Sequence[Message],
        tools: Sequence[type[BaseModel]],
        run_id: UUID | None,
        patience: int,
    ) -> Answer:
        endpoints = self._endpoints(model)
        images = await self._vision.fetch(messages)
        writing = self._writing(model)
        prompt = to_langchain(written_prompt(messages, tools, writing) if writing else messages, images)
        progress = CallProgress(None if self._settings.timeout_s is None else patience * self._settings.timeout_s)
        if model not in RULE_BASED:
            free_worker(model)
            await endpoints.look_up()
        try:
            with endpoints.borrow(run_id) as endpoint:
                try:
                    chat = _bound(endpoint.chat, tools, writing)
                    reply = await self._call(chat, prompt, f"{model} at {endpoint.name}", progress)
                except ProviderOutageError as error:
                    sent = tokens_of_messages(messages) + tokens_of_tools(tools)
                    raise self._lost(model, error, progress, sent) from None
        except ProviderOutageError as error:
            error.key = model
            raise
        except ModelRefusedError as error:
            hint = f" ({len(images)} pictures went along; MODEL_VISION=false sends captions only)" if images else ""
            raise ModelRefusedError(f"{error}{hint}") from None
        usage = self._usage(model, reply, progress.duration_s)
        read = self._redacted(from_langchain(reply))
        return Answer(read_written(read, writing) if writing else read, usage, ending_of(reply))

    def _writing(self, model: str) -> Writing | None:
        """Return how a model writes tool calls that cannot call tools; None: it can, or nothing else is known."""
        if model in RULE_BASED or (profile := self.profile(model)).tool_calling is not False:
            return None
        return "json" if profile.structured_output else "markdown"

    def _make_endpoints(self, model: str) -> Endpoints:
        chat = self._make_chat(model)
        return chat if isinstance(chat, Endpoints) else Endpoints({type(chat).__name__: chat})

    def _problem(self, model: str, *, priced: bool) -> str | None:
        try:
            self._endpoints(model)
        except ModelUnavailableError as error:
            return str(error)
        return self._prices.problem(model) if priced else None

    async def _call(
        self,
        chat: Runnable[list[BaseMessage], AIMessage],
        prompt: list[BaseMessage],
        endpoint: str,
        progress: CallProgress,
    ) -> AIMessage:
        """Return the reply. Errors are raised without their cause: the client's own errors hold the key."""
        try:
            async with progress.watch():
                return await chat.ainvoke(prompt, {"callbacks": [progress]})
        except call_failures() as error:
            failure = classify_failure(error, self._without_secrets(f"{endpoint}: {_error_text(error)}"))
        raise failure

    def _lost(
        self, model: str, error: ProviderOutageError, progress: CallProgress, sent_tokens: int
    ) -> ProviderOutageError:
        """Return the error of a reply that was lost; the error itself if the provider refused, or was not reached."""
        if not (progress.is_silent or progress.has_begun):
            return error
        limit = self._settings.max_output_tokens or MAX_UNSEEN_TOKENS
        unseen = min(int(TOKENS_PER_SILENT_S * progress.duration_s), limit)
        written = max(progress.chars // BYTES_PER_TOKEN, unseen)
        counted = UsageMetadata(input_tokens=sent_tokens, output_tokens=written, total_tokens=sent_tokens + written)
        usage = self._usage(model, AIMessage("", usage_metadata=counted), progress.duration_s)
        return ReplyLostError(str(error), usage, is_silent=progress.is_silent)

    def _redacted(self, reply: Message) -> Message:
        """Return a reply as it may be recorded: a server may repeat the key that it was sent."""
        text = reply.model_dump_json()
        redacted = self._without_secrets(text)
        return reply if redacted == text else Message.model_validate_json(redacted)

    def _without_secrets(self, text: str) -> str:
        for secret in self._settings.secrets:
            if len(value := secret.get_secret_value()) >= _MIN_SECRET_CHARS:
                text = text.replace(value, "…")
        return text

    def _usage(self, model: str, reply: AIMessage, duration_s: float) -> Usage:
        counted = reply.usage_metadata
        return Usage(
            input_tokens=counted["input_tokens"] if counted else 0,
            output_tokens=counted["output_tokens"] if counted else 0,
            duration_s=duration_s,
            cached_input_tokens=cached_tokens(counted),
            cost_usd=self._prices.cost_usd(model, counted),
        )


def _bound(chat: BaseChatModel, tools: Sequence[type[BaseModel]], writing: Writing | None) -> Runnable[Any, AIMessage]:
    """Return the chat model with the tools, or with a schema of its replies, or as it is."""
    if writing == "json":
        structured: Any = chat.with_structured_output(schema_of(tools), method="json_schema", include_raw=True)
        return structured | itemgetter("raw")
    return chat.bind_tools(tools) if tools and writing is None else chat


def model_problem(model: str, settings: ModelSettings | None = None, *, priced: bool = False) -> str | None:
    """Return in one line why `model` cannot be used and the remedy, or None. Makes no call.

    With `priced` its price must be known, too. Without `settings` they are read from the environment.
    """
    try:
        return RoleModel.configured(settings or from_environment()).problem(model, priced=priced)
    except ModelSettingsError as error:
        return str(error)


def model_name_problem(model: str) -> str | None:
    """Return in one line why there is no such model, or None. For a process without keys: other processes have them."""
    try:
        make_endpoints(model, from_environment())
    except ModelNotSetUpError:
        return None
    except (ModelSettingsError, ModelUnavailableError) as error:
        return str(error)
    return None


def _error_text(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it sent nothing for too long (MODEL_TIMEOUT_S)"
    return str(error).strip()[:1000] or type(error).__name__
