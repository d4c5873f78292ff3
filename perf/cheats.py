"""Designs made to cheat, and honest ones near the same limits: `./run perf cheats [--only WORD]... [--replicas 32]`.

Each goes through the real path without a model: script in a sandboxed kernel, judge, replicas. Exit code 1 if a cheat
was accepted or refused by another rule than its own, or an honest design refused.
"""

import argparse
import asyncio
import sys

from tests.support.cheats.case import Case
from tests.support.cheats.corpus import CHEATS, HONEST
from tests.support.cheats.trial import REPLICAS, Outcome, Trials, trials

_HEAD = (
    "| design | why | outcome | rule or ending | expected | rate % | s |\n| --- | --- | --- | --- | --- | ---: | ---: |"
)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Designs made to cheat, and honest ones near the same limits.")
    parser.add_argument("--only", action="append", default=[], help="part of a label; default: all")
    parser.add_argument("--replicas", type=int, default=REPLICAS)
    arguments = parser.parse_args()
    return asyncio.run(_measure(arguments.only, arguments.replicas))


async def _measure(words: list[str], replicas: int) -> int:
    async with trials(replicas) as tried:
        cheats = await _table(tried, "Cheats", "refused", _chosen(CHEATS, words))
        honest = await _table(tried, "Honest designs", "accepted", _chosen(HONEST, words))
    wrong = [outcome for outcome in (*cheats, *honest) if not outcome.is_expected]
    for outcome in wrong:
        found = ", ".join(outcome.refused_by) or "accepted"
        print(f"- `{outcome.case.label}`: {found}; {outcome.detail or outcome.case.why}")
    return 1 if wrong else 0


def _chosen(cases: tuple[Case, ...], words: list[str]) -> list[Case]:
    return [case for case in cases if not words or any(word in case.label for word in words)]


async def _table(tried: Trials, title: str, must: str, cases: list[Case]) -> list[Outcome]:
    print(f"## {title}\n\n{_HEAD}", flush=True)
    outcomes: list[Outcome] = []
    for case in cases:
        outcomes.append(await tried.run(case))
        print(_row(outcomes[-1]), flush=True)
    right = sum(outcome.is_expected for outcome in outcomes)
    print(f"\n{right} of {len(outcomes)} as expected: {must}.\n", flush=True)
    return outcomes


def _row(outcome: Outcome) -> str:
    case = outcome.case
    word = "accepted" if outcome.is_accepted else "refused"
    if not outcome.is_expected:
        word = f"**{word}**"
    expected = " or ".join(case.refused_by) or "accepted"
    found = ", ".join(outcome.refused_by) or "none"
    rate = f"{100 * outcome.success_rate:.0f}"
    return f"| {case.label} | {case.why} | {word} | {found} | {expected} | {rate} | {outcome.seconds:.0f} |"


if __name__ == "__main__":
    sys.exit(main())
