"""Table of current models in docs/models.md: `python -m tools.model_table` writes it again after an upgrade.

Windows and features are those of LangChain's profiles, prices those of genai-prices: what runs use, too.
"""

import importlib
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agent.token_prices import PriceList
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata

PAGE = Path(__file__).parents[1] / "docs/models.md"
BEGIN, END = "<!-- models -->", "<!-- end of models -->"
SINCE = "2026-06-01"
"""Models that were released earlier are left out."""
PROVIDERS = {"openai": "langchain_openai", "anthropic": "langchain_anthropic"}
PACKAGES = ("langchain-openai", "langchain-anthropic", "genai-prices")
_MILLION = 1_000_000
_COLUMNS = ("model", "released", "window", "output", "USD per million in, cached, out", "reasoning efforts", "quirks")


def model_table() -> str:
    """Return versions and rows as Markdown."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    rows = [_COLUMNS, ("---",) * len(_COLUMNS), *_rows()]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"Written by `python -m tools.model_table` from {versions}.", "", *lines])


def with_table(page: str) -> str:
    """Return the page with today's table."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{model_table()}\n{END}{rest.partition(END)[2]}"


def _rows() -> Iterator[tuple[str, ...]]:
    for provider, package in PROVIDERS.items():
        profiles: Mapping[str, Mapping[str, Any]] = importlib.import_module(f"{package}.data._profiles")._PROFILES  # noqa: SLF001 - no public name
        current = {name: each for name, each in profiles.items() if each.get("release_date", "") >= SINCE}
        for name, each in sorted(current.items(), key=lambda item: (item[1]["release_date"], item[0]), reverse=True):
            if each.get("tool_calling") and "realtime" not in name:
                yield _row(f"{provider}:{name}", each)


def _row(model: str, profile: Mapping[str, Any]) -> tuple[str, ...]:
    efforts, default = profile.get("reasoning_effort_levels", ()), profile.get("reasoning_effort_default", "")
    return (
        f"`{model}`",
        profile["release_date"],
        f"{profile['max_input_tokens']:,}",
        f"{profile['max_output_tokens']:,}",
        _prices(model),
        " ".join(f"**{each}**" if each == default else each for each in efforts),
        ", ".join(_quirks(profile)),
    )


def _prices(model: str) -> str:
    """Return the list prices of short prompts; dearer ones of long prompts are not shown."""
    prices = [
        _usd(model, input_tokens=1_000),
        _usd(model, input_tokens=1_000, cached=1_000),
        _usd(model, input_tokens=1_000, output_tokens=1_000) - _usd(model, input_tokens=1_000),
    ]
    return "unknown" if any(each != each for each in prices) else " / ".join(f"{each:g}" for each in prices)  # noqa: PLR0124 - not a number


def _usd(model: str, input_tokens: int, output_tokens: int = 0, cached: int = 0) -> float:
    """Return USD per million tokens of this kind; not a number if no list has the model."""
    counted = UsageMetadata(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=input_tokens + output_tokens,
        input_token_details=InputTokenDetails(cache_read=cached),
    )
    cost = PriceList().cost_usd(model, counted)
    return float("nan") if cost is None else round(cost * _MILLION / 1_000, 6)


def _quirks(profile: Mapping[str, Any]) -> Iterator[str]:
    if not profile.get("temperature", True):
        yield "takes no temperature"
    if not profile.get("image_inputs"):
        yield "sees no images"
    if not profile.get("structured_output"):
        yield "no structured output"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE}\n")
