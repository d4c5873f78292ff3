"""Settings of models, read from the environment."""

from typing import Annotated, Self

from contracts.envelope import Role
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from agent.token_prices import PRICE_FIELDS, TokenPrice

MAX_IMAGES = 8
"""One cell may show as many."""

Temperature = Annotated[float, Field(ge=0.0, le=2.0)]


def _openai_name(model: str) -> str:
    if not model.removeprefix("openai:") or not model.startswith("openai:"):
        raise ValueError(f"{model!r} cannot have endpoints: only `openai:NAME` can")
    return model


class ModelEndpoint(BaseModel):
    """One of several servers of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str
    api_key: SecretStr | None = None
    """None: OPENAI_API_KEY."""


class RoleChoice(BaseModel):
    """Settings of one role; None: those of all roles."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: Annotated[str, Field(min_length=1)] | None = None
    """In place of the run's model."""
    temperature: Temperature | None = None
    max_output_tokens: PositiveInt | None = None
    timeout_s: PositiveFloat | None = None
    prompt_budget_tokens: PositiveInt | None = None


class ModelProfile(BaseModel):
    """Features of a model, in place of those in LangChain's profile of it; None: the profile's, if there is one."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    tool_calling: bool | None = None
    structured_output: bool | None = None
    """Whether the server makes replies follow a JSON schema; used for models that cannot call tools."""
    image_inputs: bool | None = None
    max_input_tokens: PositiveInt | None = None
    """The context window."""
    usd_per_million_input_tokens: NonNegativeFloat | None = None
    usd_per_million_output_tokens: NonNegativeFloat | None = None
    usd_per_million_cached_input_tokens: NonNegativeFloat | None = None
    """The prices; LangChain's profiles have none."""

    @model_validator(mode="after")
    def _require_whole_price(self) -> Self:
        given = [name for name in PRICE_FIELDS if getattr(self, name) is not None]
        missing = [name for name in TokenPrice.required() if given and name not in given]
        if missing:
            raise ValueError(f"a price needs {missing[0]}, too")
        return self

    @property
    def price(self) -> TokenPrice | None:
        """The model's price; None: not known here."""
        given = {name: getattr(self, name) for name in PRICE_FIELDS}
        return None if given[PRICE_FIELDS[0]] is None else TokenPrice.model_validate(given)


class ModelSettings(BaseSettings):
    """Keys, addresses and limits of language models."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    """Any OpenAI-compatible server; None is OpenAI's own."""
    anthropic_api_key: SecretStr | None = None
    model_endpoints: dict[
        Annotated[str, AfterValidator(_openai_name)], Annotated[tuple[ModelEndpoint, ...], Field(min_length=1)]
    ] = {}
    """Servers by the full name of their model, in place of OPENAI_BASE_URL. In the environment: JSON."""
    model_servers_key: SecretStr | None = None
    """What announced servers are sent as their key, which is never OPENAI_API_KEY; None: they are not used."""
    model_roles: dict[Role, RoleChoice] = {}
    """Settings of single roles. In the environment: JSON."""
    model_temperature: Temperature | None = None
    """None: the provider's default."""
    model_max_output_tokens: PositiveInt | None = None
    """Of one answer, reasoning included; None: the provider's limit."""
    model_timeout_s: PositiveFloat = 300.0
    """How long a server may send nothing of a reply; after a first such silence the call is repeated once with twice
    the time. For providers whose client does not stream: for one whole reply."""
    model_prompt_budget_tokens: PositiveInt = 60_000
    """Maximum length of a prompt, tools included, by an estimate that is rather too high; old steps are condensed."""
    model_sums_up: bool = True
    """Whether the model summarizes steps that do not even fit in short: one more call now and then. Without it the
    journal's entries replace them."""
    model_vision: bool | None = None
    """Whether models are sent pictures; None: those that accept images according to LangChain's model profiles."""
    model_most_images: Annotated[int, Field(ge=1, le=20)] = MAX_IMAGES
    """How many of the newest pictures a prompt has; older ones are captions. Providers limit pictures."""
    model_profiles: dict[str, ModelProfile] = {}
    """Features by the full name of a model. In the environment: JSON."""
    model_prices: dict[str, TokenPrice] = {}
    """By the full name of a model, in place of list prices. In the environment: JSON."""

    def of_role(self, role: Role | None) -> Self:
        """Return these settings with the role's own in their place."""
        choice = self.model_roles.get(role) if role else None
        if choice is None:
            return self
        own = choice.model_dump(exclude={"model"}, exclude_none=True)
        return self.model_copy(update={f"model_{name}": value for name, value in own.items()})

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """All keys."""
        endpoints = [each for several in self.model_endpoints.values() for each in several]
        keys = (
            self.openai_api_key,
            self.anthropic_api_key,
            self.model_servers_key,
            *(each.api_key for each in endpoints),
        )
        return tuple(key for key in keys if key is not None)


class RoleSettings(ModelSettings):
    """Settings of a role besides its servers."""

    role_workers: PositiveInt = 4
    """How many events of one class a role handles at once, besides those that wait for their model."""


class ModelSettingsError(ValueError):
    """The environment's settings of models are invalid. The message is one line."""


def from_environment() -> ModelSettings:
    """Read the environment; raise `ModelSettingsError`."""
    try:
        return ModelSettings()
    except (SettingsError, ValidationError) as error:
        problem = " ".join(str(error).split())
        raise ModelSettingsError(
            "the settings of models are invalid (MODEL_PRICES, MODEL_PROFILES, MODEL_ENDPOINTS and MODEL_ROLES must be "
            f"JSON, see docs/models.md): {problem}"
        ) from error
