"""What roles need from the environment."""

from typing import Annotated

from pydantic import Field, PositiveFloat, PositiveInt, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from agent.prices import TokenPrice
from agent.vision import MOST_IMAGES


class ModelSettings(BaseSettings):
    """Keys and addresses of language models."""

    model_config = SettingsConfigDict(extra="ignore", hide_input_in_errors=True)

    openai_api_key: SecretStr | None = None
    openai_base_url: str | None = None
    """Any OpenAI-compatible server; None is OpenAI's own."""
    anthropic_api_key: SecretStr | None = None
    model_timeout_s: PositiveFloat = 300.0
    """How long one answer may take."""
    model_prompt_budget_tokens: PositiveInt = 60_000
    """How long a prompt may be, tools included, by an estimate that is rather too high; beyond it, old steps shrink."""
    model_vision: bool | None = None
    """Whether models are sent pictures; None: those that are known to take them, by the profiles that LangChain has."""
    model_most_images: Annotated[int, Field(ge=1, le=20)] = MOST_IMAGES
    """How many of the newest pictures a prompt has; older ones are only named. Providers limit pictures."""
    model_prices: dict[str, TokenPrice] = {}
    """By the full name of a model; takes the place of list prices. In the environment: JSON."""


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
            f"the settings of models cannot be read (MODEL_PRICES must be JSON, see README.md): {problem}"
        ) from error
