"""Checks of the model: its name, its key and, on request, whether its provider answers."""

import urllib.error
import urllib.request

from agent.model.failures import (
    ModelRefusedError,
    ModelUnavailableError,
    PromptTooLongError,
    ProviderOutageError,
    UnreadableAnswerError,
)
from agent.model.feature_probe import probe
from agent.model.role_model import RoleModel, model_name_problem, model_problem
from agent.settings import ModelSettings
from agent.token_prices import RULE_BASED

from doctor.check import Check, failed, passed

TIMEOUT_S = 10.0
OPENAI, ANTHROPIC = "https://api.openai.com/v1", "https://api.anthropic.com/v1"
UNAUTHORIZED = (401, 403)


def check_model(model: str) -> Check:
    """Check that the model is known and has its key; contacts no provider."""
    problem = model_problem(model)
    return passed("model", "model", model) if problem is None else _unusable(problem)


def check_model_name(model: str) -> Check:
    """Check the model's name alone, where the roles, which have its key, run elsewhere."""
    problem = model_name_problem(model)
    if problem is not None:
        return _unusable(problem)
    detail = model if model in RULE_BASED else f"{model}; the roles have its key, in containers from deploy/.env"
    return passed("model", "model", detail)


def _unusable(problem: str) -> Check:
    what, _, fix = problem.partition(": ")
    return failed("model", "model", what, fix)


def check_provider(model: str) -> Check:
    """Check that the provider answers and accepts the key, by requesting its list of models, which costs nothing."""
    provider = model.partition(":")[0]
    settings = ModelSettings()
    if provider not in {"openai", "anthropic"} or model_problem(model) is not None:
        return passed("model", "provider", "none to contact")
    base = (settings.openai_base_url or OPENAI) if provider == "openai" else ANTHROPIC
    request = urllib.request.Request(f"{base.rstrip('/')}/models", headers=_headers(provider, settings))  # noqa: S310 - the user's own address
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):  # noqa: S310 - as above
            return passed("model", "provider", f"{base} answers")
    except urllib.error.HTTPError as error:
        if error.code in UNAUTHORIZED:
            fix = f"set {provider.upper()}_API_KEY to a key that is valid there"
            return failed("model", "provider", f"{base} refuses the key", fix, f"HTTP {error.code}")
        return passed("model", "provider", f"{base} answers (HTTP {error.code} to the list of models)")
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        suspect = "OPENAI_BASE_URL" if provider == "openai" else "the network (proxy, firewall)"
        fix = f"check {suspect}, or use `offline`"
        return failed("model", "provider", f"{base} cannot be reached", fix, str(reason))


async def check_features(model: str) -> Check:
    """Play two steps with the model, at its price, and report which features it showed."""
    if model in RULE_BASED or model_problem(model) is not None:
        return passed("model", "features", "none to try")
    try:
        return passed("model", "features", str(await probe(RoleModel.configured(ModelSettings()), model)))
    except (ModelRefusedError, ModelUnavailableError, PromptTooLongError, UnreadableAnswerError) as error:
        fix = (
            f'if it cannot call tools, set MODEL_PROFILES={{"{model}": {{"tool_calling": false}}}}; see docs/models.md'
        )
        return failed("model", "features", "the model refuses a call with a tool", fix, str(error))
    except ProviderOutageError as error:
        return failed("model", "features", "the model did not answer", "try again later", str(error))


def _headers(provider: str, settings: ModelSettings) -> dict[str, str]:
    if provider == "openai" and settings.openai_api_key is not None:
        return {"Authorization": f"Bearer {settings.openai_api_key.get_secret_value()}"}
    if settings.anthropic_api_key is not None:
        return {"x-api-key": settings.anthropic_api_key.get_secret_value(), "anthropic-version": "2023-06-01"}
    return {}
