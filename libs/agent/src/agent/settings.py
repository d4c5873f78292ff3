"""What roles need from the environment."""

from typing import Annotated, Self

from contracts.envelope import Role
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    ValidationError,
)
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from agent.model.prices import TokenPrice
from agent.model.vision import MAX_IMAGES

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
    """What one role has of its own; None: what all have."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    model: Annotated[str, Field(min_length=1)] | None = None
    """In place of the one that the run names."""
    temperature: Temperature | None = None
    max_output_tokens: PositiveInt | None = None
    timeout_s: PositiveFloat | None = None
    prompt_budget_tokens: PositiveInt | None = None


class ModelSettings(BaseSettings):
    """Keys and addresses of language models."""

    model_config = SettingsConfigDict(extra="ignore", env_ignore_empty=True, hide_input_in_errors=True)

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    """Any OpenAI-compatible server; None is OpenAI's own."""
    anthropic_api_key: SecretStr | None = None
    model_endpoints: dict[
        Annotated[str, AfterValidator(_openai_name)], Annotated[tuple[ModelEndpoint, ...], Field(min_length=1)]
    ] = {}
    """By the full name of a model: its servers, in place of OPENAI_BASE_URL. In the environment: JSON."""
    model_roles: dict[Role, RoleChoice] = {}
    """What single roles have of their own. In the environment: JSON."""
    model_temperature: Temperature | None = None
    """None: the provider's own."""
    model_max_output_tokens: PositiveInt | None = None
    """Of one answer, reasoning included; None: the provider's own limit."""
    model_timeout_s: PositiveFloat = 300.0
    """How long one answer may take."""
    model_prompt_budget_tokens: PositiveInt = 60_000
    """How long a prompt may be, tools included, by an estimate that is rather too high; beyond it, old steps shrink."""
    model_sums_up: bool = True
    """Whether the model sums up steps that even in short have no room left: one more call now and then. Without, the
    journal's entries stand for them."""
    model_vision: bool | None = None
    """Whether models are sent pictures; None: those that are known to take them, by the profiles that LangChain has."""
    model_most_images: Annotated[int, Field(ge=1, le=20)] = MAX_IMAGES
    """How many of the newest pictures a prompt has; older ones are only named. Providers limit pictures."""
    model_prices: dict[str, TokenPrice] = {}
    """By the full name of a model; takes the place of list prices. In the environment: JSON."""

    def of_role(self, role: Role | None) -> Self:
        """Return these settings with what this role has of its own in their place."""
        choice = self.model_roles.get(role) if role else None
        if choice is None:
            return self
        own = choice.model_dump(exclude={"model"}, exclude_none=True)
        return self.model_copy(update={f"model_{name}": value for name, value in own.items()})

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """All keys."""
        endpoints = [each for several in self.model_endpoints.values() for each in several]
        keys = (self.openai_api_key, self.anthropic_api_key, *(each.api_key for each in endpoints))
        return tuple(key for key in keys if key is not None)


class RoleSettings(ModelSettings):
    """What every role needs besides its servers."""

    role_workers: PositiveInt = 4
    """Events of one class that a role takes on at once: a long model call of one run holds up no other run."""


class ModelSettingsError(ValueError):
    """The environment says something about models that cannot be read. One line."""


def from_environment() -> ModelSettings:
    """Read the environment; raise `ModelSettingsError`."""
    try:
        return ModelSettings()
    except (SettingsError, ValidationError) as error:
        problem = " ".join(str(error).split())
        raise ModelSettingsError(
            "the settings of models cannot be read (MODEL_PRICES, MODEL_ENDPOINTS and MODEL_ROLES must be JSON, "
            f"see README.md): {problem}"
        ) from error
