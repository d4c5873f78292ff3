"""The model: its name, its key and, when asked, whether its provider answers."""

import urllib.error
import urllib.request

from agent.model.prices import OFFLINE
from agent.model.role_model import check, check_name
from agent.settings import ModelSettings

from doctor.check import Check, failed, passed

ANSWER_S = 10.0
OPENAI, ANTHROPIC = "https://api.openai.com/v1", "https://api.anthropic.com/v1"
REFUSED = (401, 403)


def check_model(model: str) -> Check:
    """The model is known and has its key. Calls nobody."""
    problem = check(model)
    return passed("model", "model", model) if problem is None else _unusable(problem)


def check_model_name(model: str) -> Check:
    """There is such a model. Its key is with the roles, who run elsewhere, and end a run at once that lacks it."""
    problem = check_name(model)
    if problem is not None:
        return _unusable(problem)
    told = model if model == OFFLINE else f"{model}; its key is with the roles, in containers by deploy/.env"
    return passed("model", "model", told)


def _unusable(problem: str) -> Check:
    what, _, mend = problem.partition(": ")
    return failed("model", "model", what, mend)


def check_provider(model: str) -> Check:
    """The provider answers and takes the key. Asks for its list of models, which costs nothing."""
    provider = model.partition(":")[0]
    settings = ModelSettings()
    if provider not in {"openai", "anthropic"} or check(model) is not None:
        return passed("model", "provider", "nobody is asked")
    base = (settings.openai_base_url or OPENAI) if provider == "openai" else ANTHROPIC
    request = urllib.request.Request(f"{base.rstrip('/')}/models", headers=_headers(provider, settings))  # noqa: S310 - the user's own address
    variable = "OPENAI_BASE_URL" if provider == "openai" else "the network (proxy, firewall)"
    try:
        with urllib.request.urlopen(request, timeout=ANSWER_S):  # noqa: S310 - as above
            return passed("model", "provider", f"{base} answers")
    except urllib.error.HTTPError as error:
        if error.code in REFUSED:
            mend = f"set {provider.upper()}_API_KEY to a key that is valid there"
            return failed("model", "provider", f"{base} does not take the key", mend, f"HTTP {error.code}")
        return passed("model", "provider", f"{base} answers (HTTP {error.code} to the list of models)")
    except (OSError, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return failed(
            "model", "provider", f"{base} cannot be reached", f"check {variable}, or use `offline`", str(reason)
        )


def _headers(provider: str, settings: ModelSettings) -> dict[str, str]:
    if provider == "openai" and settings.openai_api_key is not None:
        return {"Authorization": f"Bearer {settings.openai_api_key.get_secret_value()}"}
    if settings.anthropic_api_key is not None:
        return {"x-api-key": settings.anthropic_api_key.get_secret_value(), "anthropic-version": "2023-06-01"}
    return {}
