"""Random replies of all roles against the verdict: `./run verdicts [--replies 1000] [--seed 0]`, in Markdown.

Stops with an error at the first run that succeeds, or is learned from, without proof.
"""

import argparse
import time

from tests.support.measurements import setting, table
from tests.verdicts.properties import FOCUSES, Tally, random_runs

_HEAD = ("random replies of", "used", "refused", "runs", "succeeded", "unproven designs", "skills", "s")


def main() -> None:
    """Check the replies of each role, and print what the runs came to."""
    parser = argparse.ArgumentParser(description="Random replies of all roles against the verdict.")
    parser.add_argument("--replies", type=int, default=1_000, help="of each role")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"# {arguments.replies} random replies of each role, seed {arguments.seed}\n\n{setting(('hypothesis',))}\n")
    print(table(_HEAD, ()), flush=True)
    ends: list[str] = []
    for focus, roles in FOCUSES.items():
        began = time.monotonic()
        tally = random_runs(roles, arguments.replies, arguments.seed)
        print(f"| {' | '.join(_row(focus, tally, time.monotonic() - began))} |", flush=True)
        ends.append(f"- {focus}: {', '.join(f'{count} {end}' for end, count in tally.ends.most_common())}")
    print("\nEach success rests on a design that physics found solved and stable, and on at least 29 replicas under 5")
    print("other seeds that the host ran again, 90 % of them successful. Runs by their end:\n")
    print("\n".join(ends))


def _row(focus: str, tally: Tally, elapsed_s: float) -> tuple[str, ...]:
    used = ", ".join(str(tally.replies[role]) for role in tally.replies)
    counts = (tally.refused.total(), tally.runs, tally.ends["succeeded"], tally.unproven, tally.learned)
    return (focus, used, *map(str, counts), f"{elapsed_s:.0f}")


if __name__ == "__main__":
    main()
