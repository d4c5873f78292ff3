"""Costs of model calls: list prices from a library, prices from the settings, and the running totals of a run."""

from collections.abc import Collection, Mapping
from decimal import Decimal
from functools import reduce
from typing import get_args
from uuid import UUID

from chassis.bus import Bus
from chassis.observability.model_conventions import OFFLINE, SEARCH
from contracts.envelope import Role
from contracts.events.conversation import ModelCalled, ReplyLost
from contracts.events.question import LookCompleted
from contracts.model import Model
from contracts.models.conversation import Usage
from genai_prices import Usage as PricedUsage
from genai_prices import calc_price
from langchain_core.messages.ai import UsageMetadata
from pydantic import NonNegativeFloat

RULE_BASED = frozenset({OFFLINE, SEARCH})
"""Models that are not language models: they cost nothing, read everything, and see no pictures."""
MILLION = Decimal(1_000_000)

NOTHING_SPENT = Usage(cost_usd=0.0)


class TokenPrice(Model):
    """A price from the settings."""

    usd_per_million_input_tokens: NonNegativeFloat
    usd_per_million_output_tokens: NonNegativeFloat
    usd_per_million_cached_input_tokens: NonNegativeFloat | None = None
    """Of the part of a prompt that the provider reports as read from its cache; None: the price of any input."""

    @classmethod
    def required(cls) -> tuple[str, ...]:
        """Return the names of the fields without a default."""
        return tuple(name for name, field in cls.model_fields.items() if field.is_required())


PRICE_FIELDS = tuple(TokenPrice.model_fields)


class PriceList:
    """Prices by model name: those of the settings, or else the library's list prices. Never a guess."""

    def __init__(
        self,
        own: Mapping[str, TokenPrice] | None = None,
        openai_base_url: str | None = None,
        unlisted: Collection[str] = (),
    ) -> None:
        """`openai_base_url` names the provider whose prices an `openai:` model has; None is OpenAI itself.

        `unlisted` models run on servers of their own, which have only the prices in `own`.
        """
        self._own = own or {}
        self._openai_base_url = openai_base_url
        self._unlisted = unlisted

    def problem(self, model: str) -> str | None:
        """Return in one line that the model's price is unknown and the remedy, or None."""
        if self.cost_usd(model, UsageMetadata(input_tokens=1, output_tokens=1, total_tokens=2)) is not None:
            return None
        return unknown_price(model)

    def cost_usd(self, model: str, counted: UsageMetadata | None) -> float | None:
        """Return the cost of one call; None: price or usage are unknown."""
        if model in RULE_BASED:
            return 0.0
        if counted is None:
            return None
        own = self._own.get(model)
        if own is not None:
            return _cost_at(own, counted)
        return None if model in self._unlisted else self._list_cost(model, counted)

    def _list_cost(self, model: str, counted: UsageMetadata) -> float | None:
        provider, _, name = model.partition(":")
        base_url = self._openai_base_url if provider == "openai" else None
        try:
            if base_url:
                return float(calc_price(_priced_usage(counted), name, provider_api_url=base_url).total_price)
            return float(calc_price(_priced_usage(counted), name, provider_id=provider).total_price)
        except LookupError:
            return None


def unknown_price(model: str) -> str:
    """Return in one line that this model's cost cannot be limited, and the remedy."""
    fields = ", ".join(f'"{name}": USD' for name in TokenPrice.required())
    return (
        f"the price of {model!r} is unknown, so its cost cannot be limited: "
        f"set MODEL_PRICES='{{\"{model}\": {{{fields}}}}}', or limit tokens instead"
    )


async def spent_by_role(bus: Bus, run_id: UUID) -> dict[Role, Usage]:
    """Return what each role spent in this run, lost replies included: the newest event of each kind holds a total."""
    roles: tuple[Role, ...] = get_args(Role)
    spent: dict[Role, Usage] = {}
    for role in roles:
        latest = [await bus.latest(kind, run_id, role) for kind in (ModelCalled, ReplyLost, LookCompleted)]
        for call in filter(None, latest):
            spent[role] = add_usage(spent.get(role, NOTHING_SPENT), call.spent)
    return spent


def total_of(spent: Mapping[Role, Usage]) -> Usage:
    """Return what all roles spent together."""
    return reduce(add_usage, spent.values(), NOTHING_SPENT)


def tokens_of(usage: Usage) -> int:
    """Return input and output tokens together."""
    return usage.input_tokens + usage.output_tokens


def add_usage(first: Usage, second: Usage) -> Usage:
    """Return the sum of two usages; one unknown price makes the total price unknown."""
    known = first.cost_usd is not None and second.cost_usd is not None
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        duration_s=first.duration_s + second.duration_s,
        cached_input_tokens=first.cached_input_tokens + second.cached_input_tokens,
        cost_usd=(first.cost_usd or 0.0) + (second.cost_usd or 0.0) if known else None,
    )


def cached_tokens(counted: UsageMetadata | None) -> int:
    """Return how many tokens of the input the provider read from its cache, as it reports."""
    details = (counted or {}).get("input_token_details") or {}
    return details.get("cache_read") or 0


def _cost_at(price: TokenPrice, counted: UsageMetadata) -> float:
    input_price, cached_price = price.usd_per_million_input_tokens, price.usd_per_million_cached_input_tokens
    cached = min(cached_tokens(counted), counted["input_tokens"])
    input_usd = (counted["input_tokens"] - cached) * Decimal(input_price)
    cached_usd = cached * Decimal(input_price if cached_price is None else cached_price)
    output_usd = counted["output_tokens"] * Decimal(price.usd_per_million_output_tokens)
    return float((input_usd + cached_usd + output_usd) / MILLION)


def _priced_usage(counted: UsageMetadata) -> PricedUsage:
    """Both libraries count cached tokens as input and report their number."""
    details = counted.get("input_token_details") or {}
    return PricedUsage(
        input_tokens=counted["input_tokens"],
        cache_read_tokens=cached_tokens(counted),
        cache_write_tokens=details.get("cache_creation") or 0,
        output_tokens=counted["output_tokens"],
    )
