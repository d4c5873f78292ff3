"""Speed of simulations: `./run perf physics [--repetitions 5] [--replicas 32]`.

Prints Markdown: our loop compared with bare `mj_step`, and replicas in one batch compared with single ones. Goals are
printed as well; the exit code is always 0. A section is a function that returns Markdown: add it to `SECTIONS`.
"""

import argparse
from collections.abc import Callable
from statistics import median

from perf.simulation import scenes
from perf.simulation.replicas import Replicas, replicas
from perf.simulation.step_rates import StepRates, step_rates
from tests.support.measurements import setting, table

PACKAGES = ("mujoco", "numpy", "pydantic")
LEAST_SHARE, LEAST_STEPS_S, GOAL_BATCH_S, LEAST_GAIN = 0.95, 10_000, 0.7, 1.7
Section = Callable[[argparse.Namespace], str]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Speed of simulations.")
    parser.add_argument("--repetitions", type=int, default=5, help="of each measurement")
    parser.add_argument("--replicas", type=int, default=32, help="jittered copies in a batch")
    arguments = parser.parse_args()
    print(f"# Physics\n\n{setting(PACKAGES)}", flush=True)
    for section in SECTIONS:
        print(f"\n{section(arguments)}", flush=True)


def _loops(arguments: argparse.Namespace) -> str:
    worlds = {
        "chute of primitives": scenes.chute(),
        "bowl of 300 hulls": scenes.funnel(),
        "10 fixed parts, 300 hulls": scenes.parts_of_hulls(),
        "10 loose boxes": scenes.loose_parts(),
    }
    rows = [_loop(name, step_rates(scene, arguments.repetitions)) for name, scene in worlds.items()]
    head = ("world", "geoms", "steps", "ours, steps/s", "bare, steps/s", "ours / bare", "range", "goal")
    note = (
        "Steps per second of CPU, medians of repetitions in turns. "
        "Ours: zones, loads, contacts, verdict and hash; bare: the same steps, no sensor, no zone."
    )
    return f"## Our loop and bare `mj_step`\n\n{note}\n\n{table(head, rows)}"


def _loop(name: str, measured: StepRates) -> tuple[str, ...]:
    goal = f">= {LEAST_SHARE:.0%}" + (f", >= {LEAST_STEPS_S} steps/s" if name.startswith("10 ") else "")
    return (
        name,
        str(measured.geoms),
        str(measured.steps),
        f"{median(measured.ours):.0f}",
        f"{median(measured.bare):.0f}",
        f"{measured.share:.0%}",
        f"{min(measured.shares):.0%} to {max(measured.shares):.0%}",
        goal,
    )


def _batches(arguments: argparse.Namespace) -> str:
    measured = replicas(scenes.chute(), arguments.replicas, arguments.repetitions)
    rows = [("one by one, 1 thread", *_seconds(measured.one_by_one_s), "", "")]
    rows += [_batch(measured, threads) for threads in (1, 2)]
    head = ("way", "median s", "least s", "times as fast as one by one", "goal")
    return (
        f"## {arguments.replicas} replicas of the chute, {measured.simulated_s:.0f} s simulated in total, judged\n\n"
        f"{table(head, rows)}"
    )


def _batch(measured: Replicas, threads: int) -> tuple[str, ...]:
    goal = f"<= {GOAL_BATCH_S} s, >= {LEAST_GAIN}" if threads == 2 else ""
    gain = f"{measured.gain(threads):.2f}"
    return (f"in one batch, {threads} thread(s)", *_seconds(measured.batched_s[threads]), gain, goal)


def _seconds(values: list[float]) -> tuple[str, str]:
    return (f"{median(values):.2f}", f"{min(values):.2f}")


SECTIONS: tuple[Section, ...] = (_loops, _batches)

if __name__ == "__main__":
    main()
