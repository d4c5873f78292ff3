"""How long the prompts of a noisy session are, with and without a budget: `python -m perf.prompts [--steps 60]`.

Each cell prints 100 kB; every fourth stops with an error; every fifth reply writes a file of 5 kB. No model is asked:
tokens are the estimate that the budget is held to. Exit code 1 if a prompt exceeds its budget.
"""

import argparse
import asyncio
import sys

from agent.settings import ModelSettings

from tests.engineer.noisy import STEPS, NoisySession


def main() -> int:
    """Print a line per budget."""
    parser = argparse.ArgumentParser(description="How long the prompts of a noisy session are.")
    parser.add_argument("--steps", type=int, default=STEPS)
    steps = parser.parse_args().steps
    default: int = ModelSettings.model_fields["model_prompt_budget_tokens"].default
    sys.stdout.write(f"{steps} steps; tokens (estimated)\n   budget   longest      last  sent in all\n")
    budgets = (None, 2 * default, default, default // 3, 9_000)
    kept = [asyncio.run(_measure(budget, steps)) for budget in budgets]
    return 0 if all(kept) else 1


async def _measure(budget_tokens: int | None, steps: int) -> bool:
    session = NoisySession(budget_tokens)
    await session.run(steps)
    sizes = [call.prompt_tokens for call in session.calls]
    named = "none" if budget_tokens is None else str(budget_tokens)
    sys.stdout.write(f"{named:>9} {max(sizes):>9} {sizes[-1]:>9} {sum(sizes):>12}\n")
    return budget_tokens is None or max(sizes) <= budget_tokens


if __name__ == "__main__":
    sys.exit(main())
