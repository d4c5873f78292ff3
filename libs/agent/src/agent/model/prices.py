"""What model calls cost, at list prices that come with a library: no network, and no guess where none is known."""

from collections.abc import Collection, Mapping
from decimal import Decimal

from contracts.model import Model
from contracts.models.conversation import Usage
from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from langchain_core.messages.ai import UsageMetadata
from pydantic import NonNegativeFloat

OFFLINE = "offline"
MILLION = Decimal(1_000_000)

NOTHING_SPENT = Usage(cost_usd=0.0)


class TokenPrice(Model):
    """What somebody who knows says that a model costs."""

    usd_per_million_input_tokens: NonNegativeFloat
    usd_per_million_output_tokens: NonNegativeFloat


class PriceList:
    """Prices by the name of the model: first those that the settings say, then the library's."""

    def __init__(
        self,
        own: Mapping[str, TokenPrice] | None = None,
        openai_base_url: str | None = None,
        unlisted: Collection[str] = (),
    ) -> None:
        """`openai_base_url`: whose prices an `openai:` model has; None is OpenAI itself.

        `unlisted` models have servers of their own, and no price but the settings' own.
        """
        self._own = own or {}
        self._openai_base_url = openai_base_url
        self._unlisted = unlisted

    def problem(self, model: str) -> str | None:
        """Return in one line why a call of this model has no known price and how to mend it, or None."""
        if self.cost_usd(model, UsageMetadata(input_tokens=1, output_tokens=1, total_tokens=2)) is not None:
            return None
        return unpriced(model)

    def cost_usd(self, model: str, counted: UsageMetadata | None) -> float | None:
        """Return what one call cost; None: the price, or what was used, is not known."""
        if model == OFFLINE:
            return 0.0
        if counted is None:
            return None
        own = self._own.get(model)
        if own is not None:
            return _by(own, counted)
        return None if model in self._unlisted else self._listed(model, counted)

    def _listed(self, model: str, counted: UsageMetadata) -> float | None:
        provider, _, name = model.partition(":")
        base_url = self._openai_base_url if provider == "openai" else None
        try:
            if base_url:
                return float(calc_price(_priced(counted), name, provider_api_url=base_url).total_price)
            return float(calc_price(_priced(counted), name, provider_id=provider).total_price)
        except LookupError:
            return None


def unpriced(model: str) -> str:
    """Return in one line why this model's cost cannot be limited, and the mend."""
    fields = ", ".join(f'"{name}": USD' for name in TokenPrice.model_fields)
    return (
        f"nobody knows what {model!r} costs, so that its cost cannot be limited: "
        f"set MODEL_PRICES='{{\"{model}\": {{{fields}}}}}', or limit tokens instead"
    )


def add_usage(first: Usage, second: Usage) -> Usage:
    """Return what both cost together; one unknown price makes the sum unknown."""
    known = first.cost_usd is not None and second.cost_usd is not None
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        duration_s=first.duration_s + second.duration_s,
        cost_usd=(first.cost_usd or 0.0) + (second.cost_usd or 0.0) if known else None,
    )


def _by(price: TokenPrice, counted: UsageMetadata) -> float:
    input_usd = counted["input_tokens"] * Decimal(price.usd_per_million_input_tokens)
    output_usd = counted["output_tokens"] * Decimal(price.usd_per_million_output_tokens)
    return float((input_usd + output_usd) / MILLION)


def _priced(counted: UsageMetadata) -> PricedUsage:
    """Both count cached tokens among the input and say how many they were."""
    details = counted.get("input_token_details") or {}
    return PricedUsage(
        input_tokens=counted["input_tokens"],
        cache_read_tokens=details.get("cache_read") or 0,
        cache_write_tokens=details.get("cache_creation") or 0,
        output_tokens=counted["output_tokens"],
    )
