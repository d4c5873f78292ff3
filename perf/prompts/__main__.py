"""What prompts cost: `./run perf prompts`. No model is called: tokens are estimates, as in the budget check.

Prefix: of all prompt tokens of an engineer's session of 30 steps, the share that repeats the prompt before from its
beginning, tools included, so that a provider can read it from its cache. The first session adds 1,900 tokens a step,
where recorded runs of a language model add 500; the others are so noisy that prompts exceed their budget two or three
times. Runs: tokens of the recorded runs in `tests/replay`, which today's roles replay event by event, beside those of
the same runs at an earlier commit. Exit code 1 if the first share is below 90 %, or if a run has not got a quarter
cheaper.
"""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from itertools import pairwise

from agent.settings import ModelSettings
from agent.token_estimate import tokens_of_messages
from contracts.events.conversation import ModelCalled
from contracts.events.run import RunSucceeded
from contracts.models.conversation import Message

from tests.support.event_logs.recorded_run import names, read
from tests.support.noisy_session import OUTPUT_CHARS, NoisySession

LEAST_PREFIX = 0.9
LEAST_SAVING = 0.25
BEFORE_COMMIT = "cd85b287"
BEFORE = {"language-model-lift": 126_853, "offline-chute": 71_103, "offline-pusher": 85_199}
"""Prompt tokens of all roles in the runs recorded at that commit, of 2026-11-28."""


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="What prompts cost.")
    parser.add_argument("--steps", type=int, default=30)
    arguments = parser.parse_args()
    print(f"{arguments.steps} steps; tokens (estimated)")
    print("characters per output   sent total   repeated prefix")
    shares = [asyncio.run(_prefix(arguments.steps, chars)) for chars in (1_000, 5_000, OUTPUT_CHARS)]
    print(f"\nsolved scripted run      {BEFORE_COMMIT}     today   change")
    savings = asyncio.run(_savings())
    return 0 if shares[0] >= LEAST_PREFIX and min(savings) >= LEAST_SAVING else 1


async def _prefix(steps: int, output_chars: int) -> float:
    session = NoisySession(ModelSettings.model_fields["model_prompt_budget_tokens"].default)
    await session.run(steps, output_chars=output_chars)
    prompts, sizes = session.model.prompts, [call.prompt_tokens for call in session.calls]
    tools = sizes[0] - tokens_of_messages(prompts[0])
    repeated = sum(_common(before, after) + tools for before, after in pairwise(prompts))
    print(f"{output_chars:>21} {sum(sizes):>12} {repeated / sum(sizes):>16.1%}")
    return repeated / sum(sizes)


def _common(before: Sequence[Message], after: Sequence[Message]) -> int:
    """Return the tokens of the messages with which both begin."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    return tokens_of_messages(after[:same])


async def _savings() -> list[float]:
    found: list[float] = []
    for name in names():
        events = (await read(name)).events
        tokens = sum(event.prompt_tokens for event in events if isinstance(event, ModelCalled))
        is_solved = any(isinstance(event, RunSucceeded) and event.result.is_proven for event in events)
        found.append(1.0 - tokens / BEFORE[name] if is_solved else -1.0)
        print(f"{name:<22} {BEFORE[name]:>10} {tokens:>9} {-found[-1]:>+8.1%}{'' if is_solved else '  not solved'}")
    return found


if __name__ == "__main__":
    sys.exit(main())
