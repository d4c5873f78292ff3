"""Length of the prompts of a noisy session: `./run perf prompts/lengths [--steps 60] [--pictures 3]`.

Each cell prints 100 kB and shows pictures of 1024 x 1024 pixels; every fourth stops with an error; every fifth reply
writes a file of 5 kB. No model is called: tokens are estimates, as in the budget check. Exit code 1 if a prompt exceeds
its budget or has too many pictures.
"""

import argparse
import asyncio
import re
import sys

from agent.context.prompt_renderer import images_of
from agent.settings import MAX_IMAGES, ModelSettings

from tests.support.noisy_session import STEPS, NoisySession

WINDOW_TOKENS = 32_000
"""Window that 200 steps must fit into: `--steps 200`."""


def main() -> int:
    """Print a line per budget."""
    parser = argparse.ArgumentParser(description="Length of the prompts of a noisy session.")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--pictures", type=int, default=3, help="pictures that each cell shows")
    parser.add_argument("--budget", type=int, action="append", help="tokens; may be repeated; default: six budgets")
    arguments = parser.parse_args()
    default: int = ModelSettings.model_fields["model_prompt_budget_tokens"].default
    sys.stdout.write(
        f"{arguments.steps} steps, {arguments.pictures} pictures per cell; tokens (estimated)\n"
        "   budget   longest      last  sent total  most pictures  captions only: longest  "
        "folded steps  by entries\n"
    )
    budgets = (None, 2 * default, default, WINDOW_TOKENS, default // 3, 12_000)
    fits = [
        asyncio.run(_measure(budget, arguments.steps, arguments.pictures)) for budget in arguments.budget or budgets
    ]
    return 0 if all(fits) else 1


async def _measure(budget_tokens: int | None, steps: int, pictures: int) -> bool:
    session, blind = NoisySession(budget_tokens, pictures), NoisySession(budget_tokens, pictures, most_images=0)
    await session.run(steps)
    await blind.run(steps)
    sizes = [call.prompt_tokens for call in session.calls]
    most = max(len(images_of(prompt)) for prompt in session.model.prompts)
    longest_blind = max(call.prompt_tokens for call in blind.calls)
    name = "none" if budget_tokens is None else str(budget_tokens)
    sys.stdout.write(
        f"{name:>9} {max(sizes):>9} {sizes[-1]:>9} {sum(sizes):>12} {most:>14} {longest_blind:>23} "
        f"{session.calls[-1].condensed.folded_steps:>13} {_steps_by_entry(session):>11}\n"
    )
    return most <= MAX_IMAGES and (budget_tokens is None or max(*sizes, longest_blind) <= budget_tokens)


def _steps_by_entry(session: NoisySession) -> int:
    """Return the number of steps that journal entries stand for in the last prompt."""
    section = "".join(message.text for message in session.model.prompts[-1][2:3])
    spans = re.findall(r"(?m)^- steps (\d+) to (\d+), by entry", section)
    return sum(int(last) - int(first) + 1 for first, last in spans)


if __name__ == "__main__":
    sys.exit(main())
